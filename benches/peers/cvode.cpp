/// CVODE's backward differentiation formulas on the hand-reduced equations of the stiff shaft
/// (stiff_shaft in motions.py), with the Jacobian by hand and 501 rows, as a user of CVODE writes
/// it in C. Timed: a motion from its start, memory of the integrator included.

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <array>
#include <cmath>
#include <stdexcept>

#include "../worker.hpp"

using namespace dalembert::bench;

namespace {

constexpr int size = 5;  // x, psi, phi, x', psi'
constexpr int rows = 501;

struct Parameters {
  double m, R, J, d, k, c, g;
};

int rates(double, N_Vector state, N_Vector result, void* data) {
  const auto& [m, R, J, d, k, c, g] = *static_cast<const Parameters*>(data);
  const double* y = N_VGetArrayPointer(state);
  double* f = N_VGetArrayPointer(result);
  const double torque = k * (y[1] - y[2]) + c * (y[4] - y[3] / R);
  f[0] = y[3];
  f[1] = y[4];
  f[2] = y[3] / R;
  f[3] = torque / (m * R) - g * d * std::sin(y[0]);
  f[4] = -torque / J;
  return 0;
}

int jacobian(double, N_Vector state, N_Vector, SUNMatrix matrix, void* data, N_Vector, N_Vector,
             N_Vector) {
  const auto& [m, R, J, d, k, c, g] = *static_cast<const Parameters*>(data);
  const double* y = N_VGetArrayPointer(state);
  SUNMatZero(matrix);
  SM_ELEMENT_D(matrix, 0, 3) = 1;
  SM_ELEMENT_D(matrix, 1, 4) = 1;
  SM_ELEMENT_D(matrix, 2, 3) = 1 / R;
  const std::array<double, size> torque{0, k, -k, -c / R, c};
  for (int j = 0; j < size; ++j) {
    SM_ELEMENT_D(matrix, 3, j) = torque[static_cast<std::size_t>(j)] / (m * R);
    SM_ELEMENT_D(matrix, 4, j) = -torque[static_cast<std::size_t>(j)] / J;
  }
  SM_ELEMENT_D(matrix, 3, 0) -= g * d * std::cos(y[0]);
  return 0;
}

void check(int status) {
  if (status < 0) throw std::runtime_error("CVODE returned " + std::to_string(status));
}

struct Motion {
  Parameters parameters;
  double tolerance, duration;
  std::array<double, size> start;

  std::array<double, size> run() {
    SUNContext context = nullptr;
    SUNContext_Create(nullptr, &context);
    N_Vector y = N_VNew_Serial(size, context);
    std::copy(start.begin(), start.end(), N_VGetArrayPointer(y));
    SUNMatrix matrix = SUNDenseMatrix(size, size, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, matrix, context);
    void* memory = CVodeCreate(CV_BDF, context);
    check(CVodeInit(memory, rates, 0, y));
    check(CVodeSStolerances(memory, tolerance, tolerance));
    check(CVodeSetUserData(memory, &parameters));
    check(CVodeSetLinearSolver(memory, solver, matrix));
    check(CVodeSetJacFn(memory, jacobian));
    check(CVodeSetMaxNumSteps(memory, 1000000));
    for (int i = 1; i < rows; ++i) {
      double reached = 0;
      check(CVode(memory, duration * i / (rows - 1), y, &reached, CV_NORMAL));
      keep(N_VGetArrayPointer(y)[0]);
    }
    std::array<double, size> end{};
    std::copy_n(N_VGetArrayPointer(y), size, end.begin());
    CVodeFree(&memory);
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y);
    SUNContext_Free(&context);
    return end;
  }
};

Prepared prepare(const Json& request) {
  if (request.at("system") != "stiff_shaft") throw std::runtime_error("only the stiff shaft");
  const auto p = request.at("parameters").get<std::vector<double>>();
  const auto q = request.at("starts")[0][0].get<std::vector<double>>();
  const auto v = request.at("starts")[0][1].get<std::vector<double>>();
  Motion motion{{p[0], p[1], p[2], p[3], p[4], p[5], p[6]},
                request.at("tolerance"),
                request.at("duration"),
                {q[0], q[2], q[1], v[0], v[2]}};
  Prepared result;
  result.work = [motion]() mutable { keep(motion.run()[0]); };
  const auto end = motion.run();
  result.values = {end[0], end[2], end[1], end[3], end[3] / motion.parameters.R, end[4]};
  return result;
}

}  // namespace

int main() {
  return serve(prepare);
}
