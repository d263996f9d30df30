static double model_sin(double x) {
  double s, c;
  model_sincos(x, &s, &c);
  return s;
}

