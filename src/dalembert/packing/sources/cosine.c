static double model_cos(double x) {
  double s, c;
  model_sincos(x, &s, &c);
  return c;
}

