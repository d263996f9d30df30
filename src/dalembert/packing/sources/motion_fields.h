  model_bounce bounces[MODEL_ELEMENTS + 1];
  double determinant; /* of the equations of what slides, where the piece began */
