from pathlib import Path

report = Path("/app/report.txt")


def test_report_exists():
    assert report.exists()


def test_report_has_the_format_and_the_number():
    assert report.read_text() == "words=10\n"
