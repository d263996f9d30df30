/* The last bounce of a contact: bounces without end are summed. */
typedef struct {
  double t, rate, flight, height, ratio, count;
} model_bounce;

