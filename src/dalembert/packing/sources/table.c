/* A table of the model: polynomials between nodes, `degree` + 1 coefficients each, from the constant
   one on. */
typedef struct {
  int nodes, degree;
  int holds; /* beyond the nodes: 1 a constant value, 0 none */
  const double *x, *c;
  double before, behind, last; /* the last: at the last node */
} model_table;

static double model_look_up(const model_table *table, double s) {
  int low = 0, high = table->nodes - 1, k;
  const double *c;
  double h, sum;
  if (isnan(s)) return s;
  if (s == table->x[high]) return table->last;
  if (s < table->x[0]) return table->holds ? table->before : NAN;
  if (s > table->x[high]) return table->holds ? table->behind : NAN;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (s < table->x[middle]) {
      high = middle;
    } else {
      low = middle;
    }
  }
  c = table->c + low * (table->degree + 1);
  h = s - table->x[low];
  sum = c[table->degree];
  for (k = table->degree - 1; k >= 0; --k) sum = c[k] + h * sum;
  return sum;
}

