#pragma once
/// Documents that show all a document can hold, and some that try to break it.

#include <dalembert/report/document/document.hpp>

namespace dalembert::report {

inline Document rich_sample() {
  const Math phi{"phi", "\\phi"};
  const Math theta{"theta", "\\theta"};
  const Math energy{"T", "T"};
  Document d;
  d.title = "The rolling disk";
  d.subtitle = "Equations of motion, derived five ways from one model";
  d.contents = true;
  d.blocks.emplace_back(Heading{1, "The model", {}});
  d.blocks.emplace_back(Paragraph{
      {"A thin disk of mass ", Math{"m", "m"}, " and radius ", Math{"r", "r"},
       " rolls without sliding on a horizontal plane. Its place is told by the point of contact ",
       Math{"(x, y)", "(x, y)"}, " and by three angles: the inclination ", theta, ", the heading ",
       phi, " and the spin ", Math{"psi", "\\psi"},
       ". The plane does no work, and the two conditions of rolling cannot be integrated, so that "
       "every place can be reached although only three velocities are free."}});
  d.blocks.emplace_back(
      Table{{{"Quantity"}, {"Symbol"}, {"Value"}, {"Meaning"}},
            {{{"mass"}, {Math{"m", "m"}}, {"1.2 kg"}, {"of the whole disk"}},
             {{"radius"}, {Math{"r", "r"}}, {"0.30 m"}, {"to the point of contact"}},
             {{"moment of inertia"},
              {Math{"m*r^2/4", "\\frac{1}{4} m r^{2}"}},
              {"0.027 kg m²"},
              {"about a diameter; twice as much about the axis"}}}});
  d.blocks.emplace_back(Heading{2, "Energies", {}});
  d.blocks.emplace_back(Display{
      {{energy,
        "=",
        {"m*(x'^2 + y'^2)/2 + m*r^2*theta'^2*(1 + 4*sin(theta)^2)/8 + m*r^2*phi'^2*sin(theta)^2/8 "
         "+ m*r^2*(psi' + phi'*cos(theta))^2/4",
         "\\frac{1}{2} m \\left(\\dot{x}^{2} + \\dot{y}^{2}\\right) + \\frac{1}{8} m r^{2} "
         "\\dot{\\theta}^{2} \\left(1 + 4 \\sin^{2} \\theta\\right) + \\frac{1}{8} m r^{2} "
         "\\dot{\\phi}^{2} \\sin^{2} \\theta + \\frac{1}{4} m r^{2} \\left(\\dot{\\psi} + "
         "\\dot{\\phi} \\cos \\theta\\right)^{2}"},
        "2.1"},
       {{"V", "V"}, "=", {"m*g*r*sin(theta)", "m g r \\sin \\theta"}, "2.2"},
       {{"L", "L"}, "≡", {"T - V", "T - V"}, {}}}});
  d.blocks.emplace_back(Heading{1, "Lagrange's equations of the first kind", "G5.216"});
  d.blocks.emplace_back(
      Paragraph{{"With one multiplier for each condition of rolling, the general equation reads"}});
  d.blocks.emplace_back(
      Display{{{{"d/dt(dT/dq') - dT/dq",
                 "\\frac{\\mathrm{d}}{\\mathrm{d} t} \\frac{\\partial T}{\\partial \\dot{q}_{i}} - "
                 "\\frac{\\partial T}{\\partial q_{i}}"},
                "=",
                {"Q_i + sum(lambda_k*A_ki)",
                 "Q_{i} + \\sum_{k} \\lambda_{k} A_{k i}, \\qquad i = 1, \\ldots, n"},
                "5.216"}}});
  d.blocks.emplace_back(Heading{3, "Step 1: the conditions of rolling", {}});
  d.blocks.emplace_back(
      Display{{{{"x'", "\\dot{x}"}, "=", {"r*psi'*cos(phi)", "r \\dot{\\psi} \\cos \\phi"}, {}},
               {{"y'", "\\dot{y}"}, "=", {"r*psi'*sin(phi)", "r \\dot{\\psi} \\sin \\phi"}, {}}}});
  d.blocks.emplace_back(Heading{3, "Step 2: eliminate the multipliers", {}});
  d.blocks.emplace_back(
      Paragraph{{"Nothing more is needed than the two accelerations found from ",
                 Math{"A q'' = b", "A \\ddot{q} = b"}, ". In the angle ", phi, " this leaves"}});
  d.blocks.emplace_back(Display{
      {{{"m*r^2*phi''*(1 + 5*cos(theta)^2)/4 + 3*m*r^2*psi''*cos(theta)/2 - "
         "5*m*r^2*theta'*phi'*sin(theta)*cos(theta)/2 - 3*m*r^2*theta'*psi'*sin(theta)/2",
         "\\frac{1}{4} m r^{2} \\ddot{\\phi} \\left(1 + 5 \\cos^{2} \\theta\\right) + \\frac{3}{2} "
         "m r^{2} \\ddot{\\psi} \\cos \\theta - \\frac{5}{2} m r^{2} \\dot{\\theta} \\dot{\\phi} "
         "\\sin \\theta \\cos \\theta - \\frac{3}{2} m r^{2} \\dot{\\theta} \\dot{\\psi} \\sin "
         "\\theta"},
        "=",
        {"0", "0"},
        "5.220"}}});
  d.blocks.emplace_back(Heading{2, "The accelerations", {}});
  d.blocks.emplace_back(Display{
      {{{"phi''", "\\ddot{\\phi}"},
        "=",
        {"2*theta'*(psi' + phi'*cos(theta))/sin(theta)",
         "\\frac{2 \\dot{\\theta} \\left(\\dot{\\psi} + \\dot{\\phi} \\cos \\theta\\right)}{\\sin "
         "\\theta}"},
        "5.221"},
       {{"theta''", "\\ddot{\\theta}"},
        "=",
        {"-4*g*cos(theta)/(5*r) + phi'^2*sin(theta)*cos(theta) + 6*phi'*psi'*sin(theta)/5 + "
         "m*(a + b*(c + d*(x'^2 - y'^2 + 2*x'*y'*cos(phi) - 4*g*r*sin(theta) + r^2*theta'^2 + "
         "r^2*phi'^2*sin(theta)^2)))",
         "-\\frac{4 g \\cos \\theta}{5 r} + \\dot{\\phi}^{2} \\sin \\theta \\cos \\theta + "
         "\\frac{6}{5} \\dot{\\phi} \\dot{\\psi} \\sin \\theta + m \\left(a + b \\left(c + d "
         "\\left(\\dot{x}^{2} - \\dot{y}^{2} + 2 \\dot{x} \\dot{y} \\cos \\phi - 4 g r \\sin "
         "\\theta + r^{2} \\dot{\\theta}^{2} + r^{2} \\dot{\\phi}^{2} \\sin^{2} "
         "\\theta\\right)\\right)\\right)"},
        "5.222"},
       {{"psi''", "\\ddot{\\psi}"},
        "=",
        {"(5*theta'*phi'*sin(theta)^2 - 6*theta'*(psi' + phi'*cos(theta))*cos(theta) + "
         "alpha*(x'^2 - y'^2 + 2*x'*y'*cos(phi) - 4*g*r*sin(theta)) - 3*beta*r^2*theta'^2 + "
         "gamma*phi'^2*sin(theta)^2)/(3*sin(theta))",
         "\\frac{5 \\dot{\\theta} \\dot{\\phi} \\sin^{2} \\theta - 6 \\dot{\\theta} "
         "\\left(\\dot{\\psi} + \\dot{\\phi} \\cos \\theta\\right) \\cos \\theta + \\alpha "
         "\\left(\\dot{x}^{2} - \\dot{y}^{2} + 2 \\dot{x} \\dot{y} \\cos \\phi - 4 g r \\sin "
         "\\theta\\right) - 3 \\beta r^{2} \\dot{\\theta}^{2} + \\gamma \\dot{\\phi}^{2} \\sin^{2} "
         "\\theta}{3 \\sin \\theta}"},
        "5.223"}}});
  d.blocks.emplace_back(
      Note{{"the vakonomic equations below are stationary for Hamilton's integral ",
            Math{"int(L)", "\\int L \\, \\mathrm{d} t"},
            ", but they are not the motion of mechanics: the conditions of rolling are not "
            "holonomic."}});
  d.blocks.emplace_back(Heading{1, "Matrices and checks", {}});
  d.blocks.emplace_back(Display{
      {{{"M", "M"},
        "=",
        {"[[m, 0, 0], [0, m, 0], [0, 0, I]]",
         "\\begin{pmatrix} m & 0 & 0 \\\\ 0 & m & 0 \\\\ 0 & 0 & \\frac{1}{4} m r^{2} "
         "\\end{pmatrix}"},
        "6.1"},
       {{"", ""},
        "",
        {"ideal.x = lambda_1 + m_rod*abs(x)",
         "Q^{\\mathrm{i}}_{x} = \\lambda_{1} + m_{\\mathrm{rod}} \\left|x\\right| \\sqrt{1 + "
         "x^{2}}"},
        {}}}});
  d.blocks.emplace_back(List{{{"the power of the ideal forces is zero,"},
                              {"the multipliers are ", Math{"lambda_1", "\\lambda_{1}"}, " and ",
                               Math{"lambda_2", "\\lambda_{2}"}, ","},
                              {"all five derivations agree in 400 states to 50 digits."}}});
  d.blocks.emplace_back(Heading{2, "The model file", {}});
  d.blocks.emplace_back(
      Code{"name = \"rolling disk\"\ncoordinates = [\"x\", \"y\", \"theta\", \"φ\", \"psi\"]\n\n"
           "[[constraints]]\n  equation = \"x' = r*psi'*cos(φ)\"   # rolls, does not slide\n"});
  return d;
}

/// Every text holds signs that one of the formats would read.
inline Document hostile_sample() {
  const std::string text =
      "<script>alert(1)</script> & </style> \"q\" 'a' \\end{document} $x$ %c #1 a_b^c ~ {} `b` "
      "*s* _u_ [l](u) | -- \\input{x} <!-- ]]> φ₁ é ж 中 😀 ≡ – “z” «ą»";
  const Math math{"a < b & c", "a < b \\text{ \\& } \\text{</script>}"};
  Document d;
  d.title = text;
  d.subtitle = text;
  d.contents = true;
  d.blocks.emplace_back(Heading{1, text, "<b>"});
  d.blocks.emplace_back(Heading{2, text, "#_"});
  d.blocks.emplace_back(Heading{7, "", ""});
  d.blocks.emplace_back(Paragraph{{text, math, text}});
  d.blocks.emplace_back(Paragraph{{std::string("\xff\xfe\x01 not UTF-8 \xc3")}});
  d.blocks.emplace_back(Display{{{math, "≡", math, "<i>&%#"}, {math, "a & b", {"", ""}, {}}}});
  d.blocks.emplace_back(Display{{{{"ж", "{\\text{ж}}"}, "=", {"x", "\\text{😀} + x"}, {}}}});
  d.blocks.emplace_back(Display{});
  d.blocks.emplace_back(Table{{{text}, {math}}, {{{text}}, {{"[x]"}, {"y"}, {text}}}});
  d.blocks.emplace_back(Table{});
  d.blocks.emplace_back(List{{{text}, {"[x] 1. item"}, {math}}});
  d.blocks.emplace_back(List{});
  d.blocks.emplace_back(Note{{text, math}});
  d.blocks.emplace_back(Code{text + "\n\\end{verbatim}\\end{code}\n```\n</code></pre>\n\n\tend"});
  d.blocks.emplace_back(Code{});
  return d;
}

}  // namespace dalembert::report
