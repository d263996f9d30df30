  model_bounce bounces[MODEL_ELEMENTS];
