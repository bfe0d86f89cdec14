"""The class as a whole: its roster, platforms' tables, late days, mistakes, likeness; grading elsewhere; how far it is.

Tables of Canvas and Moodle are written here as those platforms export them.
"""

import csv
import dataclasses
import datetime
import io
import json
import pathlib
import re
import shutil
import time
import unicodedata
from unittest.mock import MagicMock

import pytest

from tools.classroom import assignments, cluster, desk, grading, history, platforms, report, roster, tables
from tools.classroom import collect as collecting
from tools.classroom.progress import progress

SOURCE = pathlib.Path(__file__).parents[1] / "exercises/03_laplace.py"
STEM = SOURCE.stem
pytestmark = pytest.mark.depends("dpbook", "exercises", "tests/test_class.py", "tools/classroom")
CANVAS = """\ufeffStudent,ID,SIS User ID,SIS Login ID,Section,02_composition (811),03_laplace (815),Final Score
    Points Possible,,,,,18.0,16.0,(read only)
"Miller, Eve",4711,s1,eve,DP 1,,,0.0
"Fay, Finn",4712,s2,finn@uni.example,DP 1,7.5,,0.0
"Lee, Kim",4713,s3,,DP 1,,12.0,0.0
"Student, Test",4799,,5c1d,DP 1,,,0.0
"""
MOODLE = '''Identifier,Full name,Email address,Status,Grade,Maximum grade,Grade can be changed,Feedback comments
Participant 123,Eve Miller,eve@uni.example,Submitted for grading - ,,"16,00",Yes,
Participant 124,"Fay, Finn ""Fi""",finn@uni.example,No submission - ,,"16,00",Yes,
'''


def saved(folder, text, name="export.csv"):
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.fixture
def in_berlin(monkeypatch):
    """The clock of a machine in Berlin."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def cells(text):
    return list(csv.reader(io.StringIO(text)))


# Who is there.


def test_canvas_and_moodle_exports_are_a_roster(tmp_path):
    canvas = roster.understood(saved(tmp_path, CANVAS))
    assert [one.student for one in canvas] == ["eve", "finn@uni.example", "Lee_Kim-4713", "5c1d"]
    assert canvas[2] == roster.Member("Lee_Kim-4713", "Lee, Kim", "", "4713")
    assert canvas[1] == roster.Member("finn@uni.example", "Fay, Finn", "finn@uni.example", "4712")
    assert roster.understood(saved(tmp_path, CANVAS + "\r\n")) == canvas, "a line without a cell is no student"
    moodle = roster.understood(saved(tmp_path, MOODLE))
    assert roster.understood(saved(tmp_path, MOODLE + "\n")) == moodle
    assert moodle[0] == roster.Member("eve@uni.example", "Eve Miller", "eve@uni.example")
    assert moodle[1].student == "finn@uni.example"
    bare = roster.understood(saved(tmp_path, re.sub("[a-z]+@uni.example", "", MOODLE)))
    assert [one.student for one in bare] == ["Eve_Miller", "Fay_Finn_Fi"], "a Moodle may show no addresses"
    short = "Identifier,Full name\nParticipant 1,Eve Miller\n"
    assert roster.understood(saved(tmp_path, short))[0] == roster.Member("Eve_Miller", "Eve Miller")
    short = roster.understood(saved(tmp_path, CANVAS + "Total\n"))
    assert short == canvas, "a row that ends before its number is nobody's"
    names = saved(tmp_path, "ada\n\nbob \n", "names.txt")
    assert roster.understood(names) == [roster.Member("ada"), roster.Member("bob")]


def test_a_roster_is_kept_and_read_again(tmp_path):
    members = roster.understood(saved(tmp_path, CANVAS))
    file = roster.write(tmp_path, members)
    assert roster.known(tmp_path) == members and file.stat().st_mode & 0o777 == 0o600
    assert roster.known(tmp_path / "none") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,b\n1,2\n", "neither a list of names nor a table"),
        ("student,name\n../eve,Eve\n", "that of a folder in submitted/; got '../eve'"),
        ("student\nada\nAda\n", "named twice: ada"),
        ("student,name\nada/../eve,Eve\n", "that of a folder in submitted/; got 'ada/../eve'"),
        ("", "neither a list"),
        (MOODLE.replace("Participant 124", "somebody"), "like 'Participant 123'; got 'somebody'"),
    ],
)
def test_a_roster_that_is_not_clear_is_refused(tmp_path, text, words):
    with pytest.raises(roster.Unclear, match=words.replace("(", r"\(").replace(".", r"\.")):
        roster.understood(saved(tmp_path, text))


def test_a_platforms_file_is_the_student_of_that_number(tmp_path):
    """As Canvas and Moodle name what one downloads: both reach the folder that the roster names."""
    roster.write(tmp_path, roster.understood(saved(tmp_path, CANVAS)))
    one = saved(tmp_path, "{}", f"millereve_4711_99_{STEM}-1.ipynb")
    two = saved(tmp_path, "{}", f"leekim_LATE_4713_98_{STEM}.ipynb")
    taken, _ = collecting.take(tmp_path, STEM, [one, two])
    assert set(taken) == {"eve", "Lee_Kim-4713"} and (tmp_path / "submitted" / "eve" / STEM).is_dir()
    with pytest.raises(collecting.Refused, match="eve has handed in another file too"):
        collecting.take(tmp_path, STEM, [one, saved(tmp_path, "{}", "eve.ipynb")])


def test_a_student_of_moodle_is_the_same_in_every_assignment(tmp_path):
    """Moodle numbers anew: the roster of one worksheet serves for the files and the grades of another assignment."""
    roster.write(tmp_path, roster.understood(saved(tmp_path, MOODLE)))
    for stem, number in ((STEM, "123"), ("04_exponential", "987")):
        file = saved(tmp_path, "{}", f"Eve Miller_{number}_assignsubmission_file_x.ipynb")
        taken, _ = collecting.take(tmp_path, stem, [file])
        assert set(taken) == {"eve@uni.example"}
    roster.write(tmp_path, [roster.Member("ada", "Ada Byron", id="986"), roster.Member("eve", "Eve Miller", id="5")])
    file = saved(tmp_path, "{}", "Eve Miller_986_assignsubmission_file_x.ipynb")
    assert set(collecting.take(tmp_path, STEM, [file])[0]) == {"eve"}, "the number is another platform's"


def test_grades_reach_the_worksheet_of_another_assignment(tmp_path):
    roster.write(tmp_path, roster.understood(saved(tmp_path, MOODLE)))
    again = saved(tmp_path, MOODLE.replace("123", "987").replace("124", "986").replace("eve@uni", "Eve@Uni"))
    points = {("eve@uni.example", "04_exponential"): 17.0}
    text, _ = platforms.filled(again, (points, roster.known(tmp_path)), "04_exponential")
    assert [row[4] for row in cells(text)] == ["Grade", "17", ""]


def test_two_of_one_name_are_told_apart_by_moodles_worksheet_alone(tmp_path):
    """Nobody is taken for a namesake: without the worksheet a file of either is a stranger's."""
    table = MOODLE.replace('"Fay, Finn ""Fi"""', "Eve Miller")
    roster.write(tmp_path, roster.understood(saved(tmp_path, table)))
    file = saved(tmp_path, "{}", "Eve Miller_986_assignsubmission_file_x.ipynb")
    assert set(collecting.take(tmp_path, STEM, [file])[0]) == {"Eve_Miller-986"}
    worksheet = saved(tmp_path, table.replace("123", "987").replace("124", "986"), "worksheet.csv")
    assert set(collecting.take(tmp_path, STEM, [file], table=worksheet)[0]) == {"finn@uni.example"}
    points = {("finn@uni.example", STEM): 3.0}
    text, _ = platforms.filled(worksheet, (points, roster.known(tmp_path)), STEM)
    assert [row[4] for row in cells(text)] == ["Grade", "", "3"]


@pytest.mark.parametrize(
    ("name", "email", "student"),
    [
        ("Miller Eve", "EVE@uni.example", "eve"),
        ("eve  miller", "", "eve"),
        ("Eve Miller", "other@uni.example", None),
        ("Finn Fay", "finn@uni.example", "finn"),
        ("Somebody Else", "", None),
        ("...", "", None),
        ("रवि", "", "ravi"),
        ("रवा", "", None),
    ],
)
def test_a_namesake_is_not_taken_for_a_member_nor_a_stranger_for_who_has_no_address(name, email, student):
    members = [
        roster.Member("eve", "Eve Miller", "eve@uni.example"),
        roster.Member("finn", "Finn Fay"),
        roster.Member("kim", "", "kim@uni.example"),
        roster.Member("ravi", "रवि", "ravi@uni.example"),
    ]
    found = roster.recognised(name, email, members)
    assert (found and found.student) == student


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", ["José.ipynb", f"José/{STEM}.ipynb", "José García_9_assignsubmission_file_x.ipynb"])
def test_an_accent_is_the_same_letter_in_either_form(tmp_path, name, form):
    """A Mac's names of files have it apart from its letter: the file is José's, and Jose's place stays empty."""
    for other in ("NFC", "NFD"):
        text = unicodedata.normalize(other, "student,name\nJosé,José García\nJose,Jose Garcia\n")
        members = roster.understood(saved(tmp_path, text))
        assert [one.student for one in members] == ["José", "Jose"]
    file = tmp_path / "files" / unicodedata.normalize(form, name)
    file.parent.mkdir(parents=True)
    file.write_text("{}")
    saved(tmp_path / "files", "{}", "zoe.ipynb")
    archive = pathlib.Path(shutil.make_archive(tmp_path / "all", "zip", tmp_path / "files"))
    for given in ([tmp_path / "files"], [archive]):
        assert set(collecting.understood(given, STEM, members)[0]) == {"José", "zoe"}
    roster.write(tmp_path, members)
    longer = f"{STEM} = 2027-03-01T23:59:00\n[extensions.'José']\n{STEM} = 2027-03-04T23:59:00\n"
    saved(tmp_path, unicodedata.normalize(form, longer), "due.toml")
    assert history.due(tmp_path)[2] == {("José", STEM): datetime.datetime(2027, 3, 4, 23, 59)}


@pytest.mark.parametrize(
    "name",
    [
        "anna_lovelaceada_4711_081514_x",
        "x_Ada Lovelace_4711_assignsubmission_file_",
        "Ada Lovelace_4711_assignsubmission_files",
        "lovelaceada_4711_x",
    ],
)
def test_a_name_that_only_holds_a_platforms_is_another(name):
    """Before the part that a platform wrote there is nothing that a student may write."""
    assert platforms.named(name) is None and platforms.feedback_name(f"all.zip: {name}/a.ipynb", STEM) is None


# Grades as platforms take them in.

GRADES = {
    ("eve", STEM): 13.5,
    ("finn@uni.example", STEM): "1 to grade by hand",
    ("Lee_Kim-4713", STEM): "not handed in",
    ("eve", "04_exponential"): 17.0,
}
MEMBERS = [
    roster.Member("eve", "Miller, Eve", "eve@uni.example", "4711"),
    roster.Member("finn@uni.example", "Fay, Finn", "finn@uni.example", "4712"),
    roster.Member("Lee_Kim-4713", "Lee, Kim", "", "4713"),
]


def test_canvas_gets_its_own_table_back_with_the_points(tmp_path):
    text, missing = platforms.filled(saved(tmp_path, CANVAS), (GRADES, MEMBERS))
    before, after = cells(CANVAS.removeprefix("\ufeff")), cells(text)
    assert after[0] == [*before[0], "04_exponential"], "an assignment that Canvas does not know gets a column"
    assert after[2] == ["Miller, Eve", "4711", "s1", "eve", "DP 1", "", "13.5", "0.0", "17"]
    assert [row[:8] for row in after[1:2] + after[3:]] == before[1:2] + before[3:], "nothing else is touched"
    lee, finn = "Lee_Kim-4713, 03_laplace: not handed in", "finn@uni.example, 03_laplace: 1 to grade by hand"
    assert sorted(missing) == [lee, finn]


def test_a_column_that_only_begins_like_an_assignment_is_another(tmp_path):
    table = CANVAS.replace("Final Score", "03_laplace resit (820)")
    after = cells(platforms.filled(saved(tmp_path, table), (GRADES, MEMBERS))[0])
    assert after[2][6:8] == ["13.5", "0.0"]


def test_moodle_gets_its_worksheet_back_with_the_points(tmp_path):
    text, missing = platforms.filled(saved(tmp_path, MOODLE), (GRADES, MEMBERS), STEM)
    before, after = cells(MOODLE), cells(text)
    assert after[1][4] == "13.5" and [*after[1][:4], *after[1][5:]] == [*before[1][:4], *before[1][5:]]
    assert after[2] == before[2] and missing == ["finn@uni.example, 03_laplace: 1 to grade by hand"]
    with pytest.raises(roster.Unclear, match="say which"):
        platforms.filled(saved(tmp_path, MOODLE), (GRADES, MEMBERS))
    with pytest.raises(roster.Unclear, match="neither Canvas's export nor"):
        platforms.filled(saved(tmp_path, "a,b\n"), (GRADES, MEMBERS))


def test_a_comment_of_several_lines_comes_back_as_it_was(tmp_path):
    lines = MOODLE.replace("Yes,\n", 'Yes,"One.\r\n\r\nTwo.\u2028Three."\n')
    file = tmp_path / "worksheet.csv"
    file.write_text(lines, encoding="utf-8", newline="")
    after = cells(platforms.filled(file, (GRADES, MEMBERS), STEM)[0])
    assert [row[7] for row in after[1:]] == 2 * ["One.\r\n\r\nTwo.\u2028Three."] and after[1][4] == "13.5"


def test_a_platform_that_counts_out_of_other_points_is_named(tmp_path):
    """A grade of 13.5 out of 16 that Moodle reads out of 100, or Canvas out of 18."""
    canvas, moodle = saved(tmp_path, CANVAS, "canvas.csv"), saved(tmp_path, MOODLE, "moodle.csv")
    same, other = {STEM: 16.0, "02_composition": 18.0, "04_exponential": 20.0}, {STEM: 17.5}
    said = "03_laplace has 17.5 points, but a maximum of {} in {}: set 17.5 there before the import"
    for file, there in ((canvas, "16.0"), (moodle, "16.00")):
        assert platforms.other_maxima(file, same, STEM) == []
        assert platforms.other_maxima(file, other, STEM) == [said.format(there, file.name)]
    empty = saved(tmp_path, CANVAS.replace("16.0", ""), "canvas.csv")
    assert platforms.other_maxima(empty, other) == [said.format("none", "canvas.csv")]
    assert platforms.other_maxima(saved(tmp_path, "Identifier,Full name,Grade\n"), other, STEM) == []


def test_a_table_of_others_is_refused_and_not_left_empty(tmp_path):
    """A roster of Canvas with a worksheet of Moodle, the other way round; an assignment that nobody has."""
    canvas, moodle = saved(tmp_path, CANVAS), saved(tmp_path, MOODLE, "moodle.csv")
    others = [roster.Member("eve", "Other Eve", "eve@other.example", "999")]
    for file in (canvas, moodle):
        with pytest.raises(roster.Unclear, match=r"none of the . rows is of somebody on the course's roster"):
            platforms.filled(file, (GRADES, others), STEM)
    with pytest.raises(roster.Unclear, match="nobody has a grade for '03_lapalce'; there are 03_laplace"):
        platforms.filled(moodle, (GRADES, MEMBERS), "03_lapalce")


def test_only_what_is_graded_to_the_end_is_a_grade(tmp_path):
    head = "assignment,student_id,score,open\n"
    lines = f"{STEM},ada,13.0,0 to grade by hand\n{STEM},bob,9.0,1 to grade by hand\n{STEM},cem,,not handed in\n"
    (tmp_path / "grades.csv").write_text(head + lines)
    found = tables.grades(tmp_path)
    assert found == {("ada", STEM): 13.0, ("bob", STEM): "1 to grade by hand", ("cem", STEM): "not handed in"}


# Late days.


def handed_in(course, student, stem, at):
    bearer = collecting.Bearer(student, f"name {student}")
    found = collecting.Found(f"{student}.ipynb", (student,), 0, None, bearer)
    history.note(course, stem, {student: found}, datetime.datetime.fromisoformat(at))


def test_late_days_are_counted_from_the_last_file_of_each(tmp_path):
    (tmp_path / "due.toml").write_text("late_days = 2\n03_laplace = 2027-03-01T23:59:00\n04_x = 2027-03-08T12:00:00\n")
    handed_in(tmp_path, "ada", STEM, "2027-03-01T23:59:00")
    handed_in(tmp_path, "bob", STEM, "2027-03-01T10:00:00")
    handed_in(tmp_path, "bob", STEM, "2027-03-02T00:00:00")
    handed_in(tmp_path, "bob", "04_x", "2027-03-09T12:00:01")
    handed_in(tmp_path, "bob", "05_y", "2030-01-01T00:00:00")  # of which nothing is due
    handed_in(tmp_path, "cem", "04_x", "2027-03-09T12:00:00")
    handed_in(tmp_path, "cem", STEM, "2027-03-10T23:59:00")  # after 04, whose late day counts first
    handed_in(tmp_path, "dan", STEM, "2027-02-25T12:00:00")  # who is early earns no day
    handed_in(tmp_path, "dan", "04_x", "2027-03-08T12:00:01")
    _, rows = history.late(tmp_path)
    assert [row[:2] + row[4:7] for row in rows] == [
        ["ada", STEM, 0, 0, 0],
        ["bob", STEM, 1, 1, 0],
        ["bob", "04_x", 2, 3, 1],
        ["cem", "04_x", 1, 1, 0],
        ["cem", STEM, 9, 10, 8],
        ["dan", STEM, 0, 0, 0],
        ["dan", "04_x", 1, 1, 0],
    ]
    assert {row[7] for row in rows} == {"--at"}
    assert len(cells((tmp_path / "history.csv").read_text())) == 10, "a head, and every file that was taken"


def test_a_student_may_have_longer(tmp_path):
    """And whoever is not on the roster, or has longer for what is not due, is named."""
    due = "03_laplace = 2027-03-01T23:59:00\n[extensions.'ada@x.org']\n03_laplace = 2027-03-04T23:59:00\n"
    (tmp_path / "due.toml").write_text(f"\ufeff{due}", encoding="utf-8")  # as an editor of Windows may write it
    for student in ("ada@x.org", "bob"):
        handed_in(tmp_path, student, STEM, "2027-03-04T20:00:00")
    _, rows = history.late(tmp_path)
    assert [row[:5:4] for row in rows] == [["ada@x.org", 0], ["bob", 3]]
    assert rows[0][3] == "2027-03-04 23:59:00"
    roster.write(tmp_path, [roster.Member("ada@x.org"), roster.Member("bob")])
    assert history.late(tmp_path)[1] == rows
    for wrong, words in (
        (due.replace("ada@", "adda@"), "must name a student of the roster"),
        (due.replace("org']\n03_", "org']\n04_"), "has longer for 04_laplace, which is not due"),
        (due.replace("2027-03-04T23:59:00", "3"), "when is 03_laplace due"),
        ("extensions = 1\n", "must name a student"),
        ("[extensions]\nbob = 1\n", "must name a student"),
        ("x = [", "due.toml: "),
    ):
        (tmp_path / "due.toml").write_text(wrong)
        with pytest.raises(roster.Unclear, match=words):
            history.late(tmp_path)


def test_times_are_the_platforms_where_it_tells_them(tmp_path):
    """A table's by its numbers; by Canvas's names, who was in time, where it calls somebody late."""
    (tmp_path / "due.toml").write_text("03_laplace = 2027-03-01T23:59:00\n")
    files = [saved(tmp_path, "{}", f"{name}_{STEM}.ipynb") for name in ("eve_4711_1", "kim_LATE_4713_2", "fin_4712_3")]
    taken, _ = collecting.take(tmp_path, STEM, files)
    history.note(tmp_path, STEM, taken, datetime.datetime(2027, 3, 5, 12))
    _, rows = history.late(tmp_path)
    in_time = [(who, 0, "Canvas: in time") for who in ("eve-4711", "fin-4712")]
    assert [(row[0], row[4], row[7]) for row in rows] == [*in_time, ("kim-4713", 4, "Canvas: late")]
    for file in files:
        file.write_text("{ }")
    table = saved(tmp_path, "ID,submitted_at\n4711,2027-03-02T12:00:00\n4713,\n", "times.csv")
    taken, _ = collecting.take(tmp_path, STEM, files[:1])
    history.note(tmp_path, STEM, taken, datetime.datetime(2027, 3, 9), platforms.times(table))
    assert history.late(tmp_path)[1][0][2:5:2] == ["2027-03-02 12:00:00", 1]
    assert history.late(tmp_path)[1][0][7] == "table"
    times = platforms.times(saved(tmp_path, "student,submitted_at\ns7,2027-03-02 12:00\n", "times.csv"))
    taken, _ = collecting.take(tmp_path, STEM, [saved(tmp_path, "{}", "s7.ipynb")])
    history.note(tmp_path, STEM, taken, None, times)
    assert history.late(tmp_path)[1][-1][:5:2] == ["s7", "2027-03-02 12:00:00", 1]


def test_a_table_that_comes_later_tells_the_time_of_what_is_there_and_the_last_attempt_counts(tmp_path):
    (tmp_path / "due.toml").write_text("03_laplace = 2027-03-01T23:59:00\n")
    files = [saved(tmp_path, "{}", f"eve_4711_1_{STEM}.ipynb")]
    attempts = [f"4711,2027-03-0{day}T12:00:00" for day in (1, 3, 2)]
    times = platforms.times(saved(tmp_path, "\n".join(["ID,submitted_at", *attempts, "4712"]), "times.csv"))
    for told, days in ((None, 8), (times, 2), (times, 2), (None, 2)):
        taken, _ = collecting.take(tmp_path, STEM, files)
        history.note(tmp_path, STEM, taken, datetime.datetime(2027, 3, 9), told)
        assert history.late(tmp_path)[1][0][4] == days
    assert len((tmp_path / "history.csv").read_text().splitlines()) == 3, "the same table twice is one row"


def test_without_a_file_that_canvas_calls_late_nobody_is_known_to_be_in_time(tmp_path):
    (tmp_path / "due.toml").write_text("03_laplace = 2027-03-01T23:59:00\n")
    taken, _ = collecting.take(tmp_path, STEM, [saved(tmp_path, "{}", f"eve_4711_1_{STEM}.ipynb")])
    history.note(tmp_path, STEM, taken, datetime.datetime(2027, 3, 3, 12))
    assert history.late(tmp_path)[1][0][4] == 2


def test_a_moodle_worksheet_tells_times(tmp_path, in_berlin):
    head = "Identifier,Full name,Status,Grade,Last modified (submission)\n"
    rows = [
        'Participant 123,Eve,Submitted for grading - ,,"Monday, 1 March 2027, 10:59 PM"',
        'Participant 124,Finn,Submitted,,"Monday, March 1, 2027, 10:59 PM"',
        "Participant 125,Kim,Submitted,,2027-03-01T21:59:00Z",
        "Participant 126,Lee,No submission - ,,-",
        'Participant 127,Max,Submitted,,"Monday, 1 March 2027, 22:59"',
        'Participant 128,Ned,Submitted,,"01/03/27, 22:59"',
    ]
    at = datetime.datetime(2027, 3, 1, 22, 59)
    handed_in_then = dict.fromkeys(("123", "124", "125", "127", "128"), at)
    assert platforms.times(saved(tmp_path, head + "\n".join(rows))) == handed_in_then
    with pytest.raises(roster.Unclear, match="got 'yesterday'"):
        platforms.times(saved(tmp_path, head + "Participant 1,A,S,,yesterday"))
    with pytest.raises(roster.Unclear, match="neither Moodle's worksheet nor"):
        platforms.times(saved(tmp_path, "a,b\n"))


def test_a_history_of_an_earlier_version_is_read_and_goes_on(tmp_path):
    old = "student,assignment,handed in,file\nada,03_laplace,2027-03-01 12:00:00,x.ipynb\n"
    (tmp_path / "history.csv").write_text(old)
    (tmp_path / "due.toml").write_text("03_laplace = 2027-03-01T11:00:00\n")
    assert history.late(tmp_path)[1][0][4] == 1 and history.sources(tmp_path, STEM) == {}
    handed_in(tmp_path, "bob", STEM, "2027-03-01T12:00:00")
    assert [len(row) for row in cells((tmp_path / "history.csv").read_text())] == [6, 6, 6]
    assert history.sources(tmp_path, STEM) == {"bob": "name bob"} and history.sources(tmp_path, "04_x") == {}


def test_without_times_nobody_is_late_and_a_bad_time_is_named(tmp_path):
    handed_in(tmp_path, "ada", STEM, "2027-03-01T23:59:00")
    assert history.late(tmp_path)[1] == []
    old = collecting.Found("ada.ipynb", ("ada",), 0, None, collecting.Bearer("ada", "name ada"), new=False)
    for stem in (STEM, "04_x"):  # a file that lay there has a row of its own, once
        history.note(tmp_path, stem, {"ada": old})
    noted = cells((tmp_path / "history.csv").read_text())[1:]
    assert [row[1::4] for row in noted] == [[STEM, "--at"], ["04_x", "collected"]]
    (tmp_path / "due.toml").write_text('03_laplace = "tomorrow"\n')
    with pytest.raises(roster.Unclear, match="when is 03_laplace due"):
        history.late(tmp_path)


def test_what_a_hub_took_in_has_its_time_beside_it(tmp_path, in_berlin):
    """As the desk of a hub and as nbgrader's exchange write it: the time of Greenwich, or of the zone it names."""
    now = datetime.datetime(2027, 3, 1, 22, 59, 0, 999, tzinfo=datetime.UTC)  # in Berlin, one hour later
    for student, hour in (("ada", 0), ("bob", 2), ("cem", 26)):
        place = tmp_path / "submitted" / student / STEM
        desk._store(tmp_path, place / f"{STEM}.ipynb", b"{}", now + datetime.timedelta(hours=hour))
    handed_in(tmp_path, "bob", STEM, "2027-03-01T10:00:00")
    handed_in(tmp_path, "dan", STEM, "2027-03-01T22:59:00Z")
    for due in ("2027-03-01T23:59:00", "2027-03-01T22:59:00Z"):
        (tmp_path / "due.toml").write_text(f"{STEM} = {due}\n")
        _, rows = history.late(tmp_path)
        assert [row[:3] + row[4:6] for row in rows] == [
            ["ada", STEM, "2027-03-01 23:59:00", 0, 0],
            ["bob", STEM, "2027-03-02 01:59:00", 1, 1],
            ["cem", STEM, "2027-03-03 01:59:00", 2, 2],
            ["dan", STEM, "2027-03-01 23:59:00", 0, 0],
        ]
    place.joinpath("timestamp.txt").write_text("yesterday")
    with pytest.raises(roster.Unclear, match="got 'yesterday'"):
        history.late(tmp_path)


def test_a_day_in_which_the_clock_is_put_back_is_one_late_day(tmp_path, in_berlin):
    """And so is a leap day: late days are those of the clock on the wall."""
    (tmp_path / "due.toml").write_text("03_laplace = 2027-10-30T23:59:00\n04_x = 2028-02-28T23:59:00\n")
    handed_in(tmp_path, "ada", STEM, "2027-10-31T23:59:00")  # 25 hours
    handed_in(tmp_path, "ada", "04_x", "2028-03-01T23:59:00")
    assert [row[4] for row in history.late(tmp_path)[1]] == [1, 2]


# What went wrong, and who wrote alike.


def row(student, task, points, reason):
    return {"student": student, "assignment": STEM, "task": task, "points": points, "reason": reason}


def test_mistakes_are_counted_without_their_numbers(tmp_path):
    rows = [row(f"s{one}", "noisy_sum", "0.0", f"keep going: off by +{one}.5e+07") for one in range(3)]
    told = ("t", "noisy_sum", "5.0", "right"), ("u", "noisy_sum", "0.0", "no answer"), ("v", "x", "", "wait")
    rows += [row(*one) for one in told]
    found = report.mistakes(rows)
    assert found[0] == [STEM, "noisy_sum", "right", 1, 5]
    assert found[1][2:] == ["keep going: off by …e…", 3, 5] and found[2][2:] == ["no answer", 1, 5] and len(found) == 3
    more = ("a", "z", "0.0", "zero"), ("b", "noisy_sum", "0.0", "no"), ("c", "a", "0.0", ""), ("d", "a", "1", "x")
    ordered = [line[1] for line in report.mistakes([row(*one) for one in more])]
    assert ordered == ["z", "noisy_sum", "a"], "in the order of the tasks"
    report.picture(found, tmp_path / "mistakes.png")
    assert (tmp_path / "mistakes.png").read_bytes()[:4] == b"\x89PNG"


TASKS = {task.name: task for task in assignments.read(SOURCE).tasks}
OTHER = """def noisy_sum(values, bounds, epsilon, rng):
    smallest, largest = bounds
    total = 0.0
    for value in values:
        total = total + min(max(value, smallest), largest)
    reach = largest if largest > -smallest else -smallest
    return total + rng.laplace(0.0, reach / epsilon)
"""


def alike(answers):
    return {pair[1:3] for pair in report.similar(assignments.read(SOURCE), answers)}


def test_a_copy_under_other_names_is_named_and_another_way_is_not():
    renamed = OTHER.replace("total", "t").replace("smallest", "a")
    answers = {"ada": OTHER, "bob": renamed, "cem": TASKS["noisy_sum"].answer}
    assert alike({who: {"noisy_sum": text} for who, text in answers.items()}) == {("ada", "bob")}
    essay = " ".join(f"word{number}" for number in range(60))
    texts = {"ada": {"explain_rounding": essay}, "bob": {"explain_rounding": essay.upper()}, "cem": {}}
    assert alike(texts) == {("ada", "bob")}


def test_what_many_write_alike_and_what_was_given_is_nobodys(monkeypatch):
    assert not alike({f"s{number}": {"noisy_sum": OTHER} for number in range(4)})
    stubs = {name: assignments.stub(task) for name, task in TASKS.items()}
    assert not alike({"ada": stubs, "bob": stubs})
    assert len(alike({f"s{number}": {"noisy_sum": OTHER} for number in range(3)})) == 3, "three may be a group"
    near = OTHER.replace("if largest > -smallest else -smallest", "* 7")
    assert not alike({"ada": {"noisy_sum": OTHER}, "bob": {"noisy_sum": near}}), "two thirds are not enough"
    assert not alike({who: {"noisy_sum": "def noisy_sum(:\n  broken"} for who in ("ada", "bob")})
    short = "def noisy_sum(values, bounds, epsilon, rng):\n    return sum(values)"
    assert not alike({who: {"noisy_sum": short} for who in ("ada", "bob")})
    monkeypatch.setattr(assignments, "stub", lambda task: OTHER)
    assert not alike({who: {"noisy_sum": OTHER} for who in ("ada", "bob")})


def test_who_calls_the_books_own_function_is_named_and_who_writes_it_is_not():
    source = SOURCE.with_name("29_parties.py")
    task = next(task for task in assignments.read(source).tasks if task.name == "masked")
    calls = {
        "ada": "from dpbook.parties import masked",
        "bob": "def masked(*args):\n    from dpbook import parties as p\n    return p.masked(*args)",
        "cem": "import dpbook.parties.masks\nmasked = dpbook.parties.masks.masked",
    }
    own = {"dan": task.answer, "eve": "def masked(:", "gus": "from .dpbook import masked"}
    own["fay"] = "import numpy as np\n# from dpbook.parties import masked"
    answers = {who: {"masked": text} for who, text in (calls | own).items()}
    found = report.books_own(assignments.read(source), answers)
    imported = {"ada": "dpbook.parties.masked", "bob": "dpbook.parties", "cem": "dpbook.parties.masks"}
    assert found == [("masked", who, name) for who, name in imported.items()]
    assert report.imported("from dpbook.parties import masked") - report.imported(task.answer)


def test_a_report_reads_what_was_taken_and_names_the_assignment(tmp_path):
    (tmp_path / "results" / STEM).mkdir(parents=True)
    told = {"bob": {"texts": {"noisy_sum": OTHER}}, "ada.l": {"texts": {"noisy_sum": OTHER}}, "cem": {}}
    for who, taken in told.items():
        (tmp_path / "results" / STEM / f"{who}.json").write_text(json.dumps({"taken": taken}))
    (tmp_path / "assignments").mkdir()
    shutil.copyfile(SOURCE, tmp_path / "assignments" / SOURCE.name)
    found = report.of_course(tmp_path, [STEM, STEM], report.similar)
    assert found == [[STEM, "noisy_sum", "ada.l", "bob", 1.0]] * 2


# Grading on a cluster, and how far it is.


def page(answer):
    notebook = assignments.release(SOURCE)
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "scale_for_sum":
            cell.source = answer
    return notebook


@pytest.mark.slow
def test_the_points_are_the_same_whoever_grades(tmp_path):
    """A local cluster of one worker; what is no file, or no notebook, is a row there as it is here."""
    import nbformat
    from distributed import LocalCluster

    paths = [tmp_path / f"{name}.ipynb" for name in ("ada", "bob", "cem", "gone")]
    nbformat.write(page(TASKS["scale_for_sum"].answer), paths[0])
    nbformat.write(page("def scale_for_sum(low, high, epsilon):\n    return high / epsilon"), paths[1])
    paths[2].write_text("no notebook")
    here = grading.grade_all(SOURCE, paths, secret=b"x")
    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as workers:
        there = grading.grade_all(SOURCE, paths, secret=b"x", dask=workers.scheduler_address)
    assert [dataclasses.asdict(one) for one in there] == [dataclasses.asdict(one) for one in here]
    assert [one.scores[0].points for one in here] == [2, 0, 0, 0] and here[1].scores[0].reason != "right"


def test_a_cluster_that_is_not_there_or_not_ready_grades_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CLOCK", "0.2s")
    (tmp_path / "ada.ipynb").write_text("no notebook")
    with pytest.raises(cluster.Unready, match="no Dask cluster at tcp://127"):
        grading.grade_all(SOURCE, [tmp_path / "ada.ipynb"], dask="tcp://127.0.0.1:1")


def test_workers_with_another_version_of_the_code_grade_nothing(monkeypatch):
    three = {"one": ("", "this"), "two": ("", "that"), "three": ("no jail", "this")}
    said = "two: it has another version of this code; three: no jail"
    for workers, words in (({}, "the cluster has no workers"), (three, said)):
        client = MagicMock()
        client.run.return_value = workers
        monkeypatch.setattr("distributed.Client", lambda address, timeout, client=client: client)
        with pytest.raises(cluster.Unready, match=words), cluster.client("tcp://x", "this"):
            pass


def test_without_a_terminal_there_is_a_line_now_and_then():
    out, seconds = io.StringIO(), iter(range(0, 1000, 10))
    given = progress(iter("abcdefg"), 7, "03_laplace", out, every=30, clock=lambda: next(seconds))
    assert list(given) == list("abcdefg")
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("03_laplace: 3 of 7 in 30 s, about 1 minutes to go")
    assert lines[-1] == "03_laplace: 7 of 7 in 70 s" and len(lines) == 3
