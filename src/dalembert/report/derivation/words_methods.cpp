/// The formulations by name: their titles, and the law that each sets up, in general symbols.

#include <algorithm>
#include <array>
#include <stdexcept>

#include "dalembert/report/derivation/words_methods.hpp"

namespace dalembert::report {

namespace {

constexpr std::string_view equations = "Equations of motion";
constexpr std::string_view explicit_equation = "The explicit equation";

constexpr std::array methods = {
    MethodWords{
        "m-inverse",
        "The explicit equation with the M-inverse",
        {explicit_equation, "U05.9",
         "The unconstrained acceleration «a = M^-1 Q|a = M^{-1} Q», corrected by the least force "
         "in the kinetic metric that satisfies the constraints, and by the part of «C|C» that they "
         "let work.",
         "q'' = a + A_M^+ (b - A a) + (1 - A_M^+ A) M^-1 C",
         R"(\ddot q = a + A_M^{+} (b - A a) + (1 - A_M^{+} A) M^{-1} C)"}},
    MethodWords{
        "scaled",
        "The explicit equation in scaled form",
        {explicit_equation, "U01.7",
         "With the root of the mass matrix, «B = A M^(-1/2)|B = A M^{-1/2}», its Moore-Penrose "
         "inverse «B^+|B^{+}», and «a = M^-1 Q|a = M^{-1} Q».",
         "M q'' = Q + M^(1/2) B^+ (b - A a) + M^(1/2) (1 - B^+ B) M^(-1/2) C",
         R"(M \ddot q = Q + M^{1/2} B^{+} (b - A a) + M^{1/2} (1 - B^{+} B) M^{-1/2} C)"}},
    MethodWords{
        "extended-dalembert",
        "The extended principle of D'Alembert",
        {explicit_equation, "U97.20",
         "«B = A M^(-1/2)|B = A M^{-1/2}», «a_s = M^(-1/2) (Q + C)|a_s = M^{-1/2} (Q + C)»; the "
         "columns of «V|V» span the null space of «B|B».",
         "q'' = M^(-1/2) (B^T B + V V^T)^-1 (B^T b + V V^T a_s)",
         R"(\ddot q = M^{-1/2} (B^T B + V V^T)^{-1} (B^T b + V V^T a_s))"}},
    MethodWords{
        "multipliers",
        "Lagrange's equations with multipliers",
        {equations, "G5.24",
         "One for each coordinate; the differentiated constraints complete them.",
         "d/dt dT/dq_i' - dT/dq_i = Q_i + C_i + sum_j lambda_j A_ji",
         R"(\frac{d}{dt}\frac{\partial T}{\partial\dot q_i} - \frac{\partial T}{\partial q_i} = )"
         R"(Q_i + C_i + \sum_j \lambda_j A_{ji})"}},
    MethodWords{"maggi",
                "Maggi's equations",
                {equations, "G5.1",
                 "One for each free direction; the differentiated constraints complete them.",
                 "sum_i Z_ir (d/dt dT/dq_i' - dT/dq_i) = sum_i Z_ir (Q_i + C_i)",
                 R"(\sum_i Z_{ir} \Bigl(\frac{d}{dt}\frac{\partial T}{\partial\dot q_i} - )"
                 R"(\frac{\partial T}{\partial q_i}\Bigr) = \sum_i Z_{ir} (Q_i + C_i))"}},
    MethodWords{
        "boltzmann-hamel",
        "The Boltzmann-Hamel equations",
        {equations, "G5.94",
         "One for each free quasi-velocity r; j runs over all of them, l over the free ones.",
         "d/dt dT*/du_r - dT*/dtheta_r + sum_j dT*/du_j (sum_l gamma^j_rl u_l + gamma^j_r) = Q_r",
         R"(\frac{d}{dt}\frac{\partial T^{*}}{\partial u_r} - \frac{\partial )"
         R"(T^{*}}{\partial\theta_r} + \sum_j \frac{\partial T^{*}}{\partial u_j} )"
         R"(\Bigl(\sum_l \gamma^j_{rl} u_l + \gamma^j_r\Bigr) = Q_r)"}},
    MethodWords{"transpositional",
                "The transpositional form of Boltzmann-Hamel",
                {equations, "G5.101",
                 "One for each free quasi-velocity r; i and j run over all coordinates and "
                 "quasi-velocities.",
                 "d/dt dT*/du_r - dT*/dtheta_r - sum_ij dT*/du_j Psi_ji Theta_ir = Q_r",
                 R"(\frac{d}{dt}\frac{\partial T^{*}}{\partial u_r} - \frac{\partial )"
                 R"(T^{*}}{\partial\theta_r} - \sum_{i,j} \frac{\partial T^{*}}{\partial u_j} )"
                 R"(\Psi_{ji} \Theta_{ir} = Q_r)"}},
    MethodWords{
        "central",
        "The central equation of Heun and Hamel",
        {equations, "G5.153", "One for each free quasi-velocity r; i runs over all coordinates.",
         "d/dt dT*/du_r - dT*/dtheta_r - sum_i dT/dq_i' Theta_ir = Q_r",
         R"(\frac{d}{dt}\frac{\partial T^{*}}{\partial u_r} - \frac{\partial )"
         R"(T^{*}}{\partial\theta_r} - \sum_i \frac{\partial T}{\partial\dot q_i} )"
         R"(\Theta_{ir} = Q_r)"}},
    MethodWords{"suslov",
                "Suslov's principle",
                {equations, "G5.216",
                 "One for each independent coordinate I; D runs over the dependent ones.",
                 "d/dt dT0/dq_I' - dT0/dq_I - sum_D dT0/dq_D B_DI - sum_D dT/dq_D' tau_DI = Q0_I",
                 R"(\frac{d}{dt}\frac{\partial T^{0}}{\partial\dot q_I} - \frac{\partial )"
                 R"(T^{0}}{\partial q_I} - \sum_D \frac{\partial T^{0}}{\partial q_D} B_{DI} - )"
                 R"(\sum_D \frac{\partial T}{\partial\dot q_D} \tau_{DI} = Q^{0}_I)"}},
    MethodWords{
        "voronets",
        "Voronets' equations",
        {equations, "problem 5.3",
         "One for each independent coordinate I; D runs over the dependent ones, J over the "
         "independent ones.",
         "d/dt dT0/dq_I' - dT0/dq_I - sum_D dT0/dq_D B_DI "
         "- sum_D dT/dq_D' (sum_J beta^D_IJ q_J' + beta^D_I) = Q0_I",
         R"(\frac{d}{dt}\frac{\partial T^{0}}{\partial\dot q_I} - \frac{\partial )"
         R"(T^{0}}{\partial q_I} - \sum_D \frac{\partial T^{0}}{\partial q_D} B_{DI} - )"
         R"(\sum_D \frac{\partial T}{\partial\dot q_D} \Bigl(\sum_J \beta^D_{IJ} \dot )"
         R"(q_J + \beta^D_I\Bigr) = Q^{0}_I)"}},
    MethodWords{"gibbs-appell",
                "The Gibbs-Appell equations",
                {equations, "", "One for each free acceleration.", "dS/dw_r = Q_r",
                 R"(\frac{\partial \mathcal{S}}{\partial w_r} = Q_r, \qquad w_r )"
                 R"(\text{ the free accelerations})"}},
    MethodWords{"gauss",
                "Gauss' principle of least constraint",
                {equations, "", "The function is least where its derivatives vanish.",
                 "dG/dq_I'' = 0", R"(\frac{\partial G}{\partial \ddot q_I} = 0)"}},
    MethodWords{
        "vakonomic",
        "The multiplier rule (vakonomic, not the motion of mechanics)",
        {equations, "G5.23",
         "One for each coordinate; the differentiated constraints complete them. The terms with "
         "«mu|\\mu» itself are those by which the rule departs from (G5.24), where «lambda = "
         "-mu'|\\lambda = -\\dot\\mu» stands alone.",
         "d/dt dL/dq_i' - dL/dq_i = Q_i - sum_j mu_j' a_ji + sum_jk mu_j (da_jk/dq_i - "
         "da_ji/dq_k) q_k' + sum_j mu_j (da_jt/dq_i - da_ji/dt)",
         R"(\frac{d}{dt}\frac{\partial L}{\partial\dot q_i} - \frac{\partial L}{\partial )"
         R"(q_i} = Q_i - \sum_j \dot\mu_j a_{ji} + \sum_{j,k} \mu_j )"
         R"(\Bigl(\frac{\partial a_{jk}}{\partial q_i} - \frac{\partial a_{ji}}{\partial )"
         R"(q_k}\Bigr) \dot q_k + \sum_j \mu_j \Bigl(\frac{\partial a_{jt}}{\partial q_i} )"
         R"(- \frac{\partial a_{ji}}{\partial t}\Bigr))"},
        "The multiplier rule (vakonomic)"},
};

}  // namespace

const MethodWords& words_of(std::string_view method) {
  const auto* const found = std::ranges::find(methods, method, &MethodWords::name);
  if (found == methods.end())
    throw std::invalid_argument("no words for the formulation " + std::string(method));
  return *found;
}

std::string_view title_of(std::string_view method) {
  return words_of(method).title;
}

std::string_view heading_of(std::string_view method) {
  const MethodWords& words = words_of(method);
  return words.heading.empty() ? words.title : words.heading;
}

}  // namespace dalembert::report
