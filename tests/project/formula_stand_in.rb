# As much of Homebrew's Formula as packaging/homebrew/tcfix.rb uses: records what it declares and the commands of
# `install`, and runs `test` with a real program.
#   ruby formula_stand_in.rb FORMULA DIRECTORY-OF-TCFIX
require "json"
require "open3"
require "pathname"
require "tmpdir"

class Formula
  DECLARED = {}
  class << self
    %i[desc homepage url sha256 license head].each do |name|
      define_method(name) { |*values| DECLARED[name] = values.first }
    end

    def depends_on(what)
      (DECLARED[:depends_on] ||= []).concat(what.is_a?(Hash) ? what.keys : [what])
    end

    def on_linux
      yield
    end

    def test(&block)
      define_method(:run_test, &block)
    end

    def [](name)
      new(Pathname.new("/brew/opt/#{name}"))
    end
  end

  attr_reader :commands, :bin

  def initialize(prefix, bin = prefix/"bin")
    @prefix = prefix
    @bin = bin
    @commands = []
  end

  def opt_lib
    @prefix/"lib"
  end

  def std_cmake_args
    ["-DCMAKE_INSTALL_PREFIX=/prefix"]
  end

  def head?
    false
  end

  def version
    DECLARED[:url][/v([0-9.]+)\.tar/, 1]
  end

  def testpath
    @testpath ||= Pathname.new(Dir.mktmpdir)
  end

  def system(*words)
    @commands << words.map(&:to_s)
    return if words.first == "cmake"

    _, status = Open3.capture2e(*words.map(&:to_s))
    raise "#{words.join(" ")}: #{status}" unless status.success?
  end

  def shell_output(line, code = 0)
    output, status = Open3.capture2e(line)
    raise "#{line}: #{status}\n#{output}" unless status.exitstatus == code

    output
  end

  def assert_match(wanted, text)
    raise "#{text} has no #{wanted}" unless text.include?(wanted)
  end
end

load ARGV[0]
formula = Tcfix.new(Pathname.new("/prefix"), Pathname.new(ARGV[1]))
formula.install
formula.run_test
puts JSON.generate({ declared: Formula::DECLARED, commands: formula.commands })
