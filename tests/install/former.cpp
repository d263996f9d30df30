// What stood in dalembert/motion before there were solve and flow is found there still, with a
// warning.
#include <dalembert/motion/evaluator.hpp>
#include <dalembert/motion/fundamental.hpp>
#include <dalembert/motion/motion.hpp>
#include <dalembert/motion/written_solver.hpp>

int main() {
  using namespace dalembert;
  const Eigen::MatrixXd M = Eigen::MatrixXd::Identity(1, 1), A(0, 1);
  const Eigen::VectorXd Q = Eigen::VectorXd::Ones(1), none(0), C = Eigen::VectorXd::Zero(1);
  const motion::FundamentalResult r = motion::fundamental(M, Q, A, none, C);
  const motion::Method method = motion::Method::m_inverse;
  return r.status == motion::Status::ok && r.qdd[0] == 1 && motion::to_string(method) == "m-inverse"
             ? 0
             : 1;
}
