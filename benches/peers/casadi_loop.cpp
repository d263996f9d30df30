/// Calls a C function that CasADi wrote: int f(const double** arg, double** res, casadi_int* iw,
/// double* w, int mem), from a shared library. Timed: the call. `state` is q, v, parameters, in
/// parts of the sizes `sizes`; all outputs, of the sizes `results`, are asked for.

#include <dlfcn.h>

#include <memory>
#include <stdexcept>

#include "../worker.hpp"

using namespace dalembert::bench;

namespace {

using Function = int (*)(const double**, double**, long long*, double*, int);
using Sizes = int (*)(long long*, long long*, long long*, long long*);

struct Call {
  Function function = nullptr;
  std::vector<std::vector<double>> arguments, results;
  std::vector<const double*> argument_pointers;
  std::vector<double*> result_pointers;
  std::vector<double> work;
  std::vector<long long> integers;

  void operator()() {
    function(argument_pointers.data(), result_pointers.data(), integers.data(), work.data(), 0);
    keep(results[0][0]);
  }
};

Prepared prepare(const Json& request) {
  void* library = dlopen(request.at("library").get<std::string>().c_str(), RTLD_NOW);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const std::string name = request.at("function");
  const auto call = std::make_shared<Call>();
  call->function = reinterpret_cast<Function>(dlsym(library, name.c_str()));
  const auto sizes = reinterpret_cast<Sizes>(dlsym(library, (name + "_work").c_str()));
  if (call->function == nullptr || sizes == nullptr) throw std::runtime_error(dlerror());
  long long arguments = 0, results = 0, integers = 0, work = 0;
  sizes(&arguments, &results, &integers, &work);
  call->work.resize(static_cast<std::size_t>(work) + 1);
  call->integers.resize(static_cast<std::size_t>(integers) + 1);
  call->arguments = request.at("arguments").get<std::vector<std::vector<double>>>();
  for (const std::size_t size : request.at("results").get<std::vector<std::size_t>>()) {
    call->results.emplace_back(size);
  }
  call->argument_pointers.resize(static_cast<std::size_t>(arguments) + 1);
  call->result_pointers.resize(static_cast<std::size_t>(results) + 1);
  for (std::size_t i = 0; i < call->arguments.size(); ++i) {
    call->argument_pointers[i] = call->arguments[i].data();
  }
  for (std::size_t i = 0; i < call->results.size(); ++i) {
    call->result_pointers[i] = call->results[i].data();
  }

  Prepared result;
  result.work = [call] { (*call)(); };
  result.work();
  for (const auto& part : call->results) {
    result.values.insert(result.values.end(), part.begin(), part.end());
  }
  return result;
}

}  // namespace

int main() {
  return serve(prepare);
}
