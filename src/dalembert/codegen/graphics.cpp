#include "dalembert/codegen/graphics.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <utility>

#include "dalembert/codegen/machine.hpp"

namespace dalembert::codegen {

namespace {

using expr::Failure;
using Clock = std::chrono::steady_clock;

constexpr const char* no_code =
    "cannot make machine code for graphics processors: this program was built without LLVM, or "
    "runs without it";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What is used of the driver, as its header declares it: results are 0 where all went well.
struct Driver {
  using Status = int;
  using Address = unsigned long long;
  Status (*init)(unsigned);
  Status (*device_count)(int*);
  Status (*device)(int*, int);
  Status (*device_name)(char*, int, int);
  Status (*attribute)(int*, int, int);
  Status (*retain)(void**, int);
  Status (*set_current)(void*);
  Status (*error_text)(Status, const char**);
  Status (*load)(void**, const void*, unsigned, int*, void**);
  Status (*unload)(void*);
  Status (*function)(void**, void*, const char*);
  Status (*occupancy)(int*, void*, int, std::size_t);
  Status (*allocate)(Address*, std::size_t);
  Status (*free)(Address);
  Status (*to_device)(Address, const void*, std::size_t);
  Status (*from_device)(void*, Address, std::size_t);
  Status (*fill)(Address, unsigned, std::size_t);
  Status (*launch)(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                   void*, void**, void**);
  Status (*synchronize)();

  struct Processor {
    std::string name;
    void* context = nullptr;
    int multiprocessors = 1;
  };
  std::vector<Processor> processors;

  std::string problem(const char* doing, Status status) const {
    const char* text = nullptr;
    if (error_text(status, &text) != 0 || text == nullptr) text = "unknown error";
    return fmt::format("{}: the driver says {} ({})", doing, text, status);
  }
};

template <class F>
bool find(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

/// A driver with its processors ready, or why there is none.
expr::Result<const Driver*, std::string> open_driver() {
  static Driver driver;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never unloaded
  if (library == nullptr)
    return Failure{"this machine has no driver for graphics processors (libcuda.so.1)"};
  const bool known =
      find(library, "cuInit", driver.init) &&
      find(library, "cuDeviceGetCount", driver.device_count) &&
      find(library, "cuDeviceGet", driver.device) &&
      find(library, "cuDeviceGetName", driver.device_name) &&
      find(library, "cuDeviceGetAttribute", driver.attribute) &&
      find(library, "cuDevicePrimaryCtxRetain", driver.retain) &&
      find(library, "cuCtxSetCurrent", driver.set_current) &&
      find(library, "cuGetErrorString", driver.error_text) &&
      find(library, "cuModuleLoadDataEx", driver.load) &&
      find(library, "cuModuleUnload", driver.unload) &&
      find(library, "cuModuleGetFunction", driver.function) &&
      find(library, "cuOccupancyMaxActiveBlocksPerMultiprocessor", driver.occupancy) &&
      find(library, "cuMemAlloc_v2", driver.allocate) &&
      find(library, "cuMemFree_v2", driver.free) &&
      find(library, "cuMemcpyHtoD_v2", driver.to_device) &&
      find(library, "cuMemcpyDtoH_v2", driver.from_device) &&
      find(library, "cuMemsetD32_v2", driver.fill) &&
      find(library, "cuLaunchKernel", driver.launch) &&
      find(library, "cuCtxSynchronize", driver.synchronize);
  if (!known) return Failure{"the driver for graphics processors (libcuda.so.1) is too old"};
  if (const auto status = driver.init(0); status != 0)
    return Failure{driver.problem("the graphics processor cannot be used", status)};
  int count = 0, device = 0;
  if (const auto status = driver.device_count(&count); status != 0)
    return Failure{driver.problem("the graphics processor cannot be used", status)};
  if (count == 0) return Failure{"this machine has no graphics processor that its driver knows"};
  constexpr int multiprocessor_count = 16;
  for (int i = 0; i < count; ++i) {
    Driver::Processor one;
    std::array<char, 256> name{};
    if (const auto status = driver.device(&device, i); status != 0)
      return Failure{driver.problem("the graphics processor cannot be used", status)};
    if (const auto status = driver.retain(&one.context, device); status != 0)
      return Failure{driver.problem("the graphics processor cannot be used", status)};
    driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device);
    driver.attribute(&one.multiprocessors, multiprocessor_count, device);
    one.name = name.data();
    driver.processors.push_back(std::move(one));
  }
  return &driver;
}

/// Memory of the processor.
class DeviceMemory {
 public:
  explicit DeviceMemory(const Driver& driver) : driver_(driver) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { release(); }

  int reserve(std::size_t bytes) {
    if (bytes <= size_) return 0;
    release();
    const int status = driver_.allocate(&address_, bytes);
    size_ = status == 0 ? bytes : 0;
    return status;
  }
  Driver::Address address() const { return address_; }

 private:
  void release() {
    if (size_ > 0) driver_.free(address_);
    size_ = 0;
  }
  const Driver& driver_;
  Driver::Address address_ = 0;
  std::size_t size_ = 0;
};

class OnGraphics final : public Iteration {
 public:
  OnGraphics(const Driver& driver, const Driver::Processor& processor)
      : driver_(driver),
        processor_(processor),
        parameters_(driver),
        x_(driver),
        rows_(driver),
        status_(driver),
        queue_(driver) {
    device_ = processor.name;
  }
  OnGraphics(const OnGraphics&) = delete;
  OnGraphics& operator=(const OnGraphics&) = delete;
  ~OnGraphics() override {
    driver_.set_current(processor_.context);
    if (module_ != nullptr) driver_.unload(module_);
  }

  std::optional<std::string> load(const std::string& ptx) {
    constexpr const char* doing = "the code for the graphics processor cannot be loaded";
    if (const int s = driver_.set_current(processor_.context); s != 0)
      return driver_.problem(doing, s);
    if (const int s = driver_.load(&module_, ptx.c_str(), 0, nullptr, nullptr); s != 0)
      return driver_.problem(doing, s);
    if (const int s = driver_.function(&function_, module_, iterated_name); s != 0)
      return driver_.problem(doing, s);
    int blocks = 1;
    if (driver_.occupancy(&blocks, function_, threads_a_block, 0) == 0)
      blocks_ = static_cast<unsigned>(std::max(blocks, 1) * processor_.multiprocessors);
    return std::nullopt;
  }

  std::optional<std::string> run(std::span<const double> parameters, std::span<double> x,
                                 std::span<double> rows, std::span<double> status) override {
    constexpr const char* doing = "the graphics processor failed";
    auto count = static_cast<std::uint32_t>(status.size());
    std::array<int, 12> steps{};
    std::size_t done = 0;
    const auto fine = [&](int s) {
      steps[done++] = s;
      return s == 0;
    };
    const bool prepared =
        fine(driver_.set_current(processor_.context)) &&
        fine(parameters_.reserve(std::max<std::size_t>(8, parameters.size_bytes()))) &&
        fine(x_.reserve(x.size_bytes())) && fine(rows_.reserve(rows.size_bytes())) &&
        fine(status_.reserve(status.size_bytes())) && fine(queue_.reserve(8)) &&
        fine(
            driver_.to_device(parameters_.address(), parameters.data(), parameters.size_bytes())) &&
        fine(driver_.to_device(x_.address(), x.data(), x.size_bytes())) &&
        fine(driver_.fill(queue_.address(), 0, 2)) && fine(driver_.synchronize());
    if (!prepared) return driver_.problem(doing, steps[done - 1]);
    const Clock::time_point start = Clock::now();
    Driver::Address arrays[5] = {parameters_.address(), x_.address(), rows_.address(),
                                 status_.address(), queue_.address()};
    void* arguments[6] = {&arrays[0], &arrays[1], &arrays[2], &arrays[3], &arrays[4], &count};
    const unsigned enough = (count + threads_a_block - 1) / threads_a_block;
    int s = driver_.launch(function_, std::min(blocks_, enough), 1, 1, threads_a_block, 1, 1, 0,
                           nullptr, static_cast<void**>(arguments), nullptr);
    if (s == 0) s = driver_.synchronize();
    seconds_ += seconds_since(start);
    if (s == 0) s = driver_.from_device(x.data(), x_.address(), x.size_bytes());
    if (s == 0 && !rows.empty())
      s = driver_.from_device(rows.data(), rows_.address(), rows.size_bytes());
    if (s == 0) s = driver_.from_device(status.data(), status_.address(), status.size_bytes());
    if (s != 0) return driver_.problem(doing, s);
    return std::nullopt;
  }

 private:
  static constexpr unsigned threads_a_block = 256;
  const Driver& driver_;
  const Driver::Processor& processor_;
  void *module_ = nullptr, *function_ = nullptr;
  unsigned blocks_ = 1;
  DeviceMemory parameters_, x_, rows_, status_, queue_;
};

/// What a graphics processor elsewhere needs to do the same, and what should come out of it.
class Record {
 public:
  explicit Record(std::string folder) : folder_(std::move(folder)) {}
  explicit operator bool() const { return !folder_.empty(); }
  void write(const char* name, const void* data, std::size_t bytes) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary)
        .write(static_cast<const char*>(data), static_cast<std::streamsize>(bytes));
  }
  void write(const char* name, std::span<const double> numbers) const {
    write(name, numbers.data(), numbers.size_bytes());
  }

 private:
  std::string folder_;
};

class OnThisProcessor final : public Iteration {
 public:
  OnThisProcessor(std::unique_ptr<IteratedCode> code, Record record)
      : code_(std::move(code)), record_(std::move(record)) {
    device_ = "this processor";
  }
  std::optional<std::string> run(std::span<const double> parameters, std::span<double> x,
                                 std::span<double> rows, std::span<double> status) override {
    if (record_) {
      record_.write("parameters", parameters);
      record_.write("start", x);
    }
    const Clock::time_point start = Clock::now();
    std::uint32_t next = 0;
    code_->run(parameters.data(), x.data(), rows.data(), status.data(), &next,
               static_cast<std::uint32_t>(status.size()));
    seconds_ += seconds_since(start);
    if (record_) {
      record_.write("end", x);
      record_.write("rows", rows);
      record_.write("status", status);
    }
    return std::nullopt;
  }

 private:
  std::unique_ptr<IteratedCode> code_;
  Record record_;
};

expr::Result<std::unique_ptr<Iteration>, std::string> recorded(const Iterated& iterated,
                                                               std::string folder) {
  const Machine* maker = machine();
  auto code = maker != nullptr ? maker->iterate_here(iterated) : nullptr;
  if (!code) return Failure{std::string(no_code)};
  Record record(std::move(folder));
  if (record) {
    const auto text = maker->ptx(iterated);
    if (!text) return Failure{std::string(no_code)};
    record.write("iterate.ptx", text->data(), text->size());
  }
  return std::unique_ptr<Iteration>(
      std::make_unique<OnThisProcessor>(std::move(code), std::move(record)));
}

}  // namespace

expr::Result<std::unique_ptr<Iteration>, std::string> iterate_here(const Iterated& iterated) {
  return recorded(iterated, {});
}

expr::Result<Iterations, std::string> iterate_on_graphics(const Iterated& iterated) {
  const char* asked = std::getenv("DALEMBERT_GPU");
  const std::string_view wish = asked == nullptr ? "" : asked;
  constexpr std::string_view record = "record:", here = "here:";
  const bool recording = wish.starts_with(record);
  Iterations all;
  if (wish == "here" || wish.starts_with(here) || recording) {
    int count = 1;
    if (wish.starts_with(here))
      std::from_chars(wish.data() + here.size(), wish.data() + wish.size(), count);
    for (int i = 0; i < std::max(count, 1); ++i) {
      auto one = recorded(iterated, std::string(recording ? wish.substr(record.size()) : ""));
      if (!one) return Failure{one.error()};
      all.push_back(*std::move(one));
    }
    return all;
  }
  static const expr::Result<const Driver*, std::string> driver = open_driver();
  if (!driver) return Failure{driver.error()};
  const Machine* maker = machine();
  const auto text = maker != nullptr ? maker->ptx(iterated) : std::nullopt;
  if (!text) return Failure{std::string(no_code)};
  for (const Driver::Processor& processor : (*driver)->processors) {
    auto kernel = std::make_unique<OnGraphics>(**driver, processor);
    if (auto problem = kernel->load(*text)) return Failure{*std::move(problem)};
    all.push_back(std::move(kernel));
  }
  return all;
}

}  // namespace dalembert::codegen
