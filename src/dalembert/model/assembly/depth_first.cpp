#include "dalembert/model/assembly/depth_first.hpp"

#include <algorithm>

namespace dalembert::model {

DepthFirst::DepthFirst(std::size_t nodes, Needs needs, Finish finish)
    : needs_(std::move(needs)), finish_(std::move(finish)), state_(nodes, State::fresh) {}

void DepthFirst::push(std::size_t node) {
  state_[node] = State::active;
  stack_.push_back({node, needs_(node), 0});
}

void DepthFirst::break_stack() {
  for (const Frame& frame : stack_) state_[frame.node] = State::broken;
  stack_.clear();
}

std::vector<std::size_t> DepthFirst::circle_from(std::size_t node) const {
  std::vector<std::size_t> circle;
  auto frame =
      std::find_if(stack_.begin(), stack_.end(), [&](const Frame& f) { return f.node == node; });
  for (; frame != stack_.end(); ++frame) circle.push_back(frame->node);
  std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
  return circle;
}

std::vector<std::size_t> DepthFirst::visit(std::size_t root) {
  if (state_[root] != State::fresh) return {};
  push(root);
  while (!stack_.empty()) {
    Frame& top = stack_.back();
    if (top.next == top.needs.size()) {
      if (!finish_(top.node)) {
        break_stack();
        break;
      }
      state_[top.node] = State::done;
      stack_.pop_back();
      continue;
    }
    const std::size_t need = top.needs[top.next++];
    if (state_[need] == State::fresh) {
      push(need);
    } else if (state_[need] == State::broken) {
      break_stack();
    } else if (state_[need] == State::active) {
      std::vector<std::size_t> circle = circle_from(need);
      break_stack();
      return circle;
    }
  }
  return {};
}

std::string circle_text(const std::vector<std::string>& names) {
  constexpr std::size_t shown_at_ends = 5;
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.size() > 2 * shown_at_ends && i == shown_at_ends) {
      text += "... -> ";
      i = names.size() - shown_at_ends;
    }
    text += names[i] + " -> ";
  }
  return text + names.front();
}

}  // namespace dalembert::model
