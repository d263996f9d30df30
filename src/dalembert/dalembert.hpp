#pragma once
/// The one header a program includes. Everything the command does is a call:
///
///     using namespace dalembert;
///     auto motion = compile(read_model("dumbbell.toml").value()).value();
///     Acceleration r = motion.acceleration(t, q, v);
///     auto start = initial_state(motion).value();
///     Summary s = simulate(motion, start.state, simulation_options(motion), [](const Sample& row)
///     { ... });
///
/// The names below are those of the rooms they come from; `dalembert/solve/fundamental.hpp` and
/// its neighbours can also be included one by one.

#include "dalembert/codegen/kernel.hpp"
#include "dalembert/exchange/urdf.hpp"
#include "dalembert/expr/algebra.hpp"
#include "dalembert/expr/differentiate.hpp"
#include "dalembert/expr/expr.hpp"
#include "dalembert/expr/parse.hpp"
#include "dalembert/expr/print.hpp"
#include "dalembert/flow/compiled.hpp"
#include "dalembert/flow/state/initial_state.hpp"
#include "dalembert/flow/values.hpp"
#include "dalembert/mechanics/classify.hpp"
#include "dalembert/mechanics/equations.hpp"
#include "dalembert/mechanics/equivalence.hpp"
#include "dalembert/mechanics/formulations/formulations.hpp"
#include "dalembert/model/bundled.hpp"
#include "dalembert/model/draft.hpp"
#include "dalembert/model/edit.hpp"
#include "dalembert/model/model.hpp"
#include "dalembert/model/system.hpp"
#include "dalembert/motion/simulate.hpp"
#include "dalembert/report/check.hpp"
#include "dalembert/report/derivation/derivation.hpp"
#include "dalembert/report/json.hpp"
#include "dalembert/report/trajectory.hpp"
#include "dalembert/solve/fundamental.hpp"
#include "dalembert/study/ensemble.hpp"

namespace dalembert {

using expr::decide_zero;
using expr::differentiate;
using expr::dot;
using expr::Equation;
using expr::Expr;
using expr::Result;
using expr::simplify;
using expr::to_c;
using expr::to_latex;
using expr::to_text;

using model::Adjust;
using model::assemble;
using model::bundled_models;
using model::Draft;
using model::Model;
using model::ModelError;
using model::Part;
using model::Project;
using model::read_draft;
using model::read_draft_text;
using model::read_model;
using model::read_model_text;
using model::System;
using model::to_toml;

using mechanics::classify;
using mechanics::compare_formulations;
using mechanics::Equations;
using mechanics::find_formulation;
using mechanics::Formulation;
using mechanics::formulations;
using mechanics::lagrange;
using mechanics::Setting;

using motion::Acceleration;
using motion::compile;
using motion::CompileOptions;
using motion::Fundamental;
using motion::fundamental;
using motion::FundamentalOptions;
using motion::FundamentalResult;
using motion::initial_state;
using motion::InitialState;
using motion::Method;
using motion::Motion;
using motion::Sample;
using motion::simulate;
using motion::simulation_options;
using motion::SimulationOptions;
using motion::State;
using motion::Status;
using motion::Summary;

using study::EnsembleOptions;
using study::EnsembleSample;
using study::Outcome;
using study::Run;
using study::run_ensemble;

}  // namespace dalembert
