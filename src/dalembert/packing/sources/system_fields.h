  /* Of contacts and frictions: what each does (0 open, 1 closed, 2 sticks, 3 slides), the direction in
     which it slides, and the largest sizes of rows seen. */
  double hold[MODEL_ELEMENTS + 1], d[MODEL_ELEMENTS + 1][2], gap_size[MODEL_ROWS + 1], rate_size[MODEL_ROWS + 1];
  double started;
