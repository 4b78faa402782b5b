# For a tap of your own, such as OWNER/homebrew-tcfix: Formula/tcfix.rb. packaging/update sets owner, version and sum.
class Tcfix < Formula
  desc "Repairs the native libraries of Python packages so that they load"
  homepage "https://github.com/OWNER/tcfix"
  url "https://github.com/OWNER/tcfix/archive/refs/tags/v0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"
  head "https://github.com/OWNER/tcfix.git", branch: "main"

  depends_on "cmake" => :build
  depends_on "cxxopts" => :build
  depends_on "fmt" => :build
  depends_on "llvm" => :build
  depends_on "ninja" => :build
  depends_on "spdlog" => :build
  depends_on "libdeflate"

  on_linux do
    depends_on "openssl@3" => :build
  end

  def install
    llvm = Formula["llvm"].opt_lib/"cmake/llvm"
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DTCFIX_TESTS=OFF", "-DTCFIX_WERROR=OFF",
           "-DLLVM_DIR=#{llvm}", *std_cmake_args
    system "cmake", "--build", "build", "--target", "tcfix"
    system "cmake", "--install", "build", "--component", "program"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/tcfix --version") unless head?
    # A directory without an environment: exit code 2, and nothing is written.
    shell_output("#{bin}/tcfix list #{testpath} --json", 2)
    system bin/"tcfix", "inspect", "--json", bin/"tcfix"
  end
end
