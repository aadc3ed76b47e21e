# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jitterlab.analysis.anova import anova
from jitterlab.analysis.celltable import read
from jitterlab.errors import InputError

GOOD = "network,size,N,Mean,SD\nidle,1K,10,1.5,0.5\nbusy,1K,12,2.5,0.25\n"


def table(path: Path, text: str | bytes) -> Path:
    file = path / "cells.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_a_table(tmp_path: Path) -> None:
    found = read(table(tmp_path, GOOD))
    assert found.factors == ("network", "size")
    assert found.groups.to_dict("records") == [
        {"network": "idle", "size": "1K", "n": 10, "mean": 1.5, "variance": 0.25},
        {"network": "busy", "size": "1K", "n": 12, "mean": 2.5, "variance": 0.0625},
    ]


@pytest.mark.parametrize(
    "text",
    [
        "a;N;Mean;Variance\nx;4;1;9\ny;4;2;9\n",
        "a\tcount\taverage\tStd. Dev.\nx\t4\t1\t3\ny\t4\t2\t3\n",
        "\ufeffa, n, mean, SE\r\n\r\nx, 4, 1, 1.5\r\ny, 4, 2, 1.5\r\n",
        'a,nobs,avg,SEM,SD,min\n"x",4,1,99,3,0\ny,4.0,2e0,99,3,0\n',
        "n,mean,sd,a\n4,1,3,x\n4,2,3,y\n",
    ],
)
def test_tables_of_other_tools(tmp_path: Path, text: str) -> None:
    found = read(table(tmp_path, text), ("a",))
    assert found.factors == ("a",)
    assert found.groups["variance"].tolist() == [9, 9]
    assert found.groups["n"].tolist() == [4, 4]


@pytest.mark.parametrize("spread", ["", "nan", "NA", "0", "7"])
def test_a_single_value_has_no_spread(tmp_path: Path, spread: str) -> None:
    found = read(table(tmp_path, f"a,n,mean,sd\nx,1,3,{spread}\ny,2,3,1\n"))
    assert found.groups["n"].tolist() == [1, 2]
    assert anova(found.groups, "y ~ a").residual.sum_sq == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column for n"),
        ("a,N,Mean,SD\n", "has no rows"),
        ("a,Mean,SD\nx,1,1\n", "no column for n; its columns are: a, Mean, SD"),
        ("a,N,SD\nx,1,1\n", "no column for the mean"),
        ("a,N,Mean\nx,1,1\n", "no column for the spread"),
        ("a,N,Count,Mean,SD\nx,1,1,1,1\n", "two columns for n: N, Count"),
        ("a,a,N,Mean,SD\nx,y,1,1,1\n", "two columns named 'a'"),
        (",N,Mean,SD\nx,1,1,1\n", "one without a name"),
        ("a,N,Mean,SD\nx,2,1\n", "line 2: 3 fields instead of 4"),
        ("a,N,Mean,SD\nx,2,1,1\n,2,1,1\n", "line 3, column 'a' is empty"),
        ("a,N,Mean,SD\nx,2,1,1\nx,2,1,1\n", "line 3: the cell x is there twice"),
        ("a,N,Mean,SD\nx,2,one,1\n", "line 2, column 'Mean': 'one' is no number"),
        ("a,N,Mean,SD\nx,2,nan,1\n", "line 2, column 'Mean': 'nan' is no number"),
        ("a,N,Mean,SD\nx,2,inf,1\n", "'inf' is no number"),
        ("a,N,Mean,SD\nx,2,1,\n", "line 2, column 'SD': '' is no number"),
        ("a,N,Mean,SD\nx,2,1,-1\n", "line 2: sd is -1"),
        ("a,N,Mean,SD\nx,0,1,1\n", "line 2: n is 0"),
        ("a,N,Mean,SD\nx,2.5,1,1\n", "line 2: n is 2.5"),
        ("a,N,Mean,SD\nx,1e16,1,1\n", "line 2: n is 1e\\+16"),
        ("a,N,Mean,SD\nx,2,1e200,1\n", "numbers are too large"),
        ("a,N,Mean,SD\nx,2,1,1e200\n", "numbers are too large"),
        (b"\x7fELF\x02\x01\x01\0\xff", "no text file"),
        (b"a,N\0,Mean,SD\n", "contains a zero byte"),
        ("a,N,Mean,SD\n" + "x" * 200_000 + ",2,1,1\n", "field larger than field limit"),
    ],
)
def test_broken_tables_name_the_place(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(table(tmp_path, text))
    assert "cells.csv" in str(caught.value)
    assert caught.value.remedy


def test_missing_files_and_factors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        read(tmp_path / "none.csv")
    with pytest.raises(InputError, match="cannot be read"):
        read(tmp_path)
    with pytest.raises(InputError, match=r"no factor 'Network' \(but 'network': capital letters count\)"):
        read(table(tmp_path, GOOD), ("Network",))
    with pytest.raises(InputError, match="no factor 'N'"):
        read(table(tmp_path, GOOD), ("N",))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(place=st.integers(0, len(GOOD)), cut=st.integers(0, 6), put=st.binary(max_size=4))
def test_damage_is_an_error_or_still_a_table(tmp_path: Path, place: int, cut: int, put: bytes) -> None:
    damaged = GOOD.encode()[:place] + put + GOOD.encode()[place + cut :]
    try:
        found = read(table(tmp_path, damaged))
    except InputError as error:
        assert error.remedy  # noqa: PT017 (either outcome is right)
    else:
        assert (found.groups["n"] >= 1).all()
