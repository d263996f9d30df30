#include "dalembert/model/joint_rows.hpp"

namespace dalembert::model {

namespace {

/// Where a shape touches a plane with unit normal n below it: from its centre, and how high the
/// centre is. With g(u) = max over the shape of u.x the support, height = g(-n) and the arm is the
/// point where it is taken.
struct Touch {
  Vector arm;
  Expr height;
};

Touch touch(const JointSpec& spec, const Side& body, const Vector& n, Numbers& numbers) {
  switch (*spec.shape) {
    case Shape::sphere:
      return {-(spec.radius->expr * n), spec.radius->expr};
    case Shape::disk: {
      // The direction of the arm is n - (n.a) a = a x (n x a), whose length is |n x a|. Products
      // lose no digits where the disk is nearly flat.
      const Vector a = body.direction(unit(spec.axes[1]->vector, numbers));
      const Vector across = cross(n, a);
      const Expr sine = norm(across);
      return {-(spec.radius->expr / sine * cross(a, across)), spec.radius->expr * sine};
    }
    case Shape::ellipsoid: {
      const Vector in_body = transpose(body.rotation) * n;
      Vector stretched;
      for (std::size_t i = 0; i < 3; ++i)
        stretched[i] = pow(spec.semi_axes->vector[i], 2) * in_body[i];
      const Expr height = sqrt(dot(in_body, stretched));
      return {-(body.rotation * stretched / height), height};
    }
  }
  return {};
}

}  // namespace

JointRows rolling_rows(const Side& first, const Side& second, const JointSpec& spec,
                       Numbers& numbers) {
  const Triad plane = triad(spec.normal->vector, nullptr, numbers);
  const Vector n = first.direction(plane.a);
  const Vector center = second.point(spec.points[1].vector);
  const Touch contact = touch(spec, second, n, numbers);
  JointRows result;
  result.point = center + contact.arm;
  const Vector above = center - first.point(spec.points[0].vector);
  result.rows.push_back(
      {spec.name + ".contact", dot(n, above) - contact.height, n, {}, !spec.contact});
  const Vector v = second.velocity_at(second.direction(spec.points[1].vector) + contact.arm) -
                   first.velocity_at(result.point - first.origin);
  const Vector t1 = first.direction(plane.e1), t2 = first.direction(plane.e2);
  result.rows.push_back({spec.name + ".roll1", dot(t1, v), t1, {}});
  result.rows.push_back({spec.name + ".roll2", dot(t2, v), t2, {}});
  return result;
}

}  // namespace dalembert::model
