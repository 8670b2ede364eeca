"""What people install: the wheel holds all that the program reads at run time, and nothing that is not its own."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("engine", "protocol", "tui")
FOREIGN = "raise SystemExit('a foreign package was imported')"


def run(*command, cwd, **ways):
    done = subprocess.run(
        [*map(str, command)], cwd=cwd, capture_output=True, text=True, timeout=300, check=False, **ways
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def read_at_run_time():
    """Every file of the packages that is no Python source, as the wheel should name it."""
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file())
    return {str(path.relative_to(ROOT)) for path in files if path.suffix != ".pyc" and "__pycache__" not in path.parts}


def test_the_names_at_the_top_are_the_three_packages():
    """No tests, no docs: what pyproject.toml names is what is there (cases: K02)."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert tuple(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == PACKAGES
    assert all(
        (ROOT / package / "__init__.py").exists() and (ROOT / package / "py.typed").exists() for package in PACKAGES
    )


def test_what_the_program_reads_lies_inside_the_packages():
    """Style sheets, rules pages and words are found beside the code, not in the checkout."""
    files = read_at_run_time()
    assert "protocol/words.txt" in files
    assert any(path.endswith(".tcss") for path in files)
    assert {path for path in files if "/rules/" in path and path.endswith(".md")}


def test_every_folder_of_code_is_a_package():
    """One without __init__.py is left out by some installers."""
    folders = {path.parent for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert [str(folder) for folder in folders if not (folder / "__init__.py").exists()] == []


def test_the_version_is_the_same_everywhere():
    """What is said is what is installed, which is what was built from here."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    said = run(sys.executable, "-P", "-m", "tui.cli", "--version", cwd=ROOT)
    assert version in said


# --- built and installed (slow) --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """sdist and wheel, by the build backend itself: the wheel from what the sdist holds, as an installer does it."""
    folder = tmp_path_factory.mktemp("dist")
    backend = folder.with_name("backend")
    run(sys.executable, "-m", "pip", "install", "--quiet", "--target", backend, "hatchling>=1.24", cwd=folder)
    ways = {"env": {**os.environ, "PYTHONPATH": str(backend)}}
    build = f"import hatchling.build as b; print(b.build_sdist({str(folder)!r}))"
    sdist = folder / run(sys.executable, "-c", build, cwd=ROOT, **ways).split()[-1]
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (source,) = [path for path in folder.iterdir() if path.is_dir()]
    build = f"import hatchling.build as b; print(b.build_wheel({str(folder)!r}))"
    wheel = folder / run(sys.executable, "-c", build, cwd=source, **ways).split()[-1]
    return sdist, wheel


@pytest.mark.slow
def test_the_wheel_holds_exactly_the_packages_and_all_their_files(built):
    """Every style sheet, rules page, list of words, py.typed and module; at the top nothing else (cases: K01, K02)."""
    names = set(zipfile.ZipFile(built[1]).namelist())
    own = {name for name in names if ".dist-info/" not in name}
    assert {name.split("/")[0] for name in own} == set(PACKAGES)
    assert own == read_at_run_time()


@pytest.mark.slow
def test_the_sdist_holds_tests_and_documents(built):
    """Whoever packages it can run its tests."""
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "Makefile",
        "docs/protocol.md",
        "tests/packaging/test_wheel.py",
    } <= names


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """A clean environment with the wheel; its dependencies are those of this one, found by a path file."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder / "venv", with_pip=False, symlinks=True)
    scheme = sysconfig.get_path("purelib", vars={"base": str(folder / "venv")})
    Path(scheme, "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        pytest.skip("the layout of environments differs here")
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index"]
    run(*pip, "--force-reinstall", built[1], cwd=folder)
    return folder / "venv" / "bin"


@pytest.fixture
def elsewhere(tmp_path):
    """A folder with foreign packages of our names."""
    for name in PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(FOREIGN, encoding="utf-8")
    return tmp_path


@pytest.mark.slow
def test_what_is_imported_is_what_was_installed(installed, elsewhere):
    """Not the checkout, not the folder where it is started."""
    place = run(installed / "python", "-P", "-c", "import engine, protocol, tui; print(tui.__file__)", cwd=elsewhere)
    assert str(installed.parent) in place


@pytest.mark.slow
@pytest.mark.parametrize("command", [("--version",), ("--help",), ("rules", "counterbluff"), ("doctor",)], ids=" ".join)
def test_the_installed_program_runs_from_a_folder_with_foreign_packages(installed, elsewhere, command):
    """Its words, rules pages and parts are all there."""
    assert run(installed / "dealerless", *command, cwd=elsewhere).strip()


@pytest.mark.slow
def test_the_installed_program_plays_its_practice_bot(installed, elsewhere):
    """Two processes of the installed program, from that folder too."""
    home = {**os.environ, "DEALERLESS_HOME": str(elsewhere / "home")}
    file = elsewhere / "match.dealerless"
    run(installed / "dealerless", "practice", "poker-bingo", "--plain", "--bot", "random", "--level", "random",
        "--export", file, cwd=elsewhere, env=home)  # fmt: skip
    assert run(installed / "dealerless", "verify", file, cwd=elsewhere)


@pytest.mark.slow
def test_every_screen_of_the_installed_program_finds_its_style(installed, elsewhere):
    """Headless: Home opens, with all style sheets."""
    code = (
        "import asyncio, pathlib\n"
        "from protocol.profile import Profile\n"
        "from tui.app import DealerlessApp\n"
        "from tui.glyphs import choose\n"
        "from tui.settings import Settings\n"
        "from tui.start import Home\n"
        "async def main():\n"
        "    app = DealerlessApp(Home(), Profile(pathlib.Path('home')), look=choose('ascii'), settings=Settings())\n"
        "    async with app.run_test(size=(80, 24)) as pilot:\n"
        "        await pilot.pause()\n"
        "        print('style sheets:', len(app.stylesheet.source))\n"
        "asyncio.run(main())\n"
    )
    assert "style sheets:" in run(installed / "python", "-P", "-c", code, cwd=elsewhere)
