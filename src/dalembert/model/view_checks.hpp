#pragma once
/// What can be wrong with a drawing beside its grammar, for model files and programs alike.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "dalembert/model/model.hpp"

namespace dalembert::model {

/// The kinds in the order of SolidKind, and the same of the other words of a drawing.
inline constexpr std::array solid_kinds = {
    SolidKind::automatic, SolidKind::none, SolidKind::sphere, SolidKind::disk,
    SolidKind::cylinder,  SolidKind::rod,  SolidKind::box,    SolidKind::ellipsoid};
inline constexpr std::array segment_styles = {SegmentStyle::rod, SegmentStyle::line,
                                              SegmentStyle::spring};
inline constexpr std::array arrow_kinds = {ArrowKind::applied, ArrowKind::ideal,
                                           ArrowKind::nonideal, ArrowKind::other};

/// The keys that a shape may have beside its kind: radius, length, size, axis. An automatic one has
/// a radius where it is no body: that of a particle's sphere, or the length of a frame's axes.
std::span<const std::string_view> keys_of_solid(SolidKind kind, BodyKind of);

/// What is wrong with the numbers of a drawing when the parameters have these values: lengths and
/// masses that are not positive, axes without direction, a ground that is not finite. Empty when
/// all is well.
std::vector<Diagnostic> check_drawing(const Model& model, const std::vector<double>& parameters);

}  // namespace dalembert::model
