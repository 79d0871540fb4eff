import json

import numpy as np
import pandas as pd
import pytest

from multiloss_core import DataError, RatedDocuments, read_table, simulate_population


def documents_of(frame, **options):
    options.setdefault("floors", [0.0] * 2)
    return RatedDocuments.from_frame(frame, ["a", "b"], "rating", **options)


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "a": [0.1, 0.4, 0.9, 0.7, 0.3],
            "b": [5.0, 2.0, 8.0, 1.0, 6.0],
            "rating": [0, 1, 1, 0, 1],
            "w": [1.0, 2.0, 0.5, 3.0, 1.5],
        }
    )


class TestRatings:
    @pytest.mark.parametrize(
        ("values", "positive"),
        [
            ([0, 1, 1, 0, 1], None),
            ([0.0, 1.0, 1.0, 0.0, 1.0], None),
            (["0", "1", "1", "0", "1"], None),
            (["0.0", "1.0", "1.0", "0.0", "1.0"], None),
            ([False, True, True, False, True], None),
            (["False", "TRUE", "true", "false ", "True"], None),
            (["ok", "fraud", "fraud", "ok", "fraud"], None),
            (["OK", " Fraud", "FRAUD ", "ok", "fraud"], None),
            (["fine", "Fraud", "fraud", "fine", "fraud"], None),
            (["ok", "theft", "theft", "ok", "theft"], None),
            (["A", "B", "b", "a ", "B"], "b"),
            (["no", "yes", "yes", "no", "yes"], "YES"),
            ([0, 1, 1, 0, 1], 1),
            ([0, 1, 1, 0, 1], "1"),
            ([False, True, True, False, True], True),
            ([3, 7, 7, 3, 7], 7),
            (pd.Categorical(["ok", "fraud", "fraud", "ok", "fraud"]), None),
        ],
    )
    def test_two_ratings_are_read_as_positive_and_negative(self, frame, values, positive):
        frame["rating"] = values
        assert documents_of(frame, positive=positive).labels.tolist() == [False, True, True, False, True]

    def test_the_positive_value_may_go_against_the_words(self, frame):
        frame["rating"] = [1, 0, 0, 1, 0]
        assert documents_of(frame, positive=0).labels.tolist() == [False, True, True, False, True]

    @pytest.mark.parametrize("blank", [None, np.nan, pd.NA, "", "   "])
    def test_blank_ratings_are_left_out_and_counted(self, frame, blank):
        frame["rating"] = pd.Series(["ok", blank, "fraud", "ok", blank], dtype=object)
        documents = documents_of(frame)
        assert documents.scores[:, 0].tolist() == [0.1, 0.9, 0.7]
        assert (documents.funnel.read, documents.funnel.rated) == (5, 3)
        assert any("2 rows" in note and "'rating'" in note for note in documents.notes)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ([1, 1, 1, 1, 1], r"'rating'.*only one rating, '1' \(from row 1 on\).*needed"),
            (["", "ok", "ok", "ok", "ok"], r"'rating'.*only one rating, 'ok' \(from row 2 on\)"),
            (["a", "b", "a", "c", "b"], r"'rating' holds 3 different ratings.*row 4.*choose another rating column"),
            ([None] * 5, r"[Aa]ll 5 rows of 'rating' are blank; choose"),
            (["", " ", "", "", ""], r"[Aa]ll 5 rows of 'rating' are blank; choose"),
            (["left", "right", "left", "left", "right"], r"'rating' holds 'left', 'right'; say which"),
            (["fraud", "scam", "fraud", "scam", "fraud"], r"'rating' holds 'fraud', 'scam'; say which"),
        ],
    )
    def test_ratings_that_are_not_two_classes_are_refused(self, frame, values, message):
        frame["rating"] = pd.Series(values, dtype=object)
        with pytest.raises(DataError, match=message):
            documents_of(frame)

    def test_a_positive_value_that_does_not_occur_is_refused(self, frame):
        with pytest.raises(DataError, match=r"'theft' is not a rating in column 'rating'.*'0', '1'.*choose"):
            documents_of(frame, positive="theft")

    def test_one_class_left_after_dropping_rows_is_refused(self, frame):
        frame.loc[[1, 2, 4], ["a", "b"]] = np.nan
        with pytest.raises(DataError, match=r"'rating' is negative \(2 rows, first: row 1\).*check"):
            documents_of(frame)


class TestScores:
    def test_blank_scores_lie_below_all_others_and_are_counted(self, frame):
        frame.loc[[2, 4], "b"] = np.nan
        documents = documents_of(frame)
        assert documents.scores[:, 1].tolist() == [5.0, 2.0, -np.inf, 1.0, -np.inf]
        assert documents.funnel.complete == 5
        assert any("2 rows" in note and "row 3" in note and "'b'" in note for note in documents.notes)

    @pytest.mark.parametrize("bad", [np.inf, -np.inf, "high", "1,5", "1e200"])
    def test_infinite_and_missing_values_are_refused_or_left_out(self, frame, bad):
        frame["b"] = pd.Series([5.0, bad, 8.0, 1.0, bad], dtype=object)
        with pytest.raises(DataError, match=r"'b' has values.*2 rows, first: row 2.*leave such rows out"):
            documents_of(frame)
        documents = documents_of(frame, leave_out_unusable=True)
        assert documents.scores[:, 1].tolist() == [5.0, 8.0, 1.0]
        assert documents.funnel.complete == 3
        assert any("2 rows" in note and "row 2" in note and "'b'" in note for note in documents.notes)

    def test_row_numbers_count_from_the_first_row_of_the_file(self, frame):
        frame["rating"] = [np.nan, 1, 1, 0, 1]
        frame["a"] = pd.Series([0.1, 0.4, 0.9, "?", 0.3], dtype=object)
        with pytest.raises(DataError, match=r"'a' has values.*1 row, first: row 4, '\?'"):
            documents_of(frame)

    def test_a_table_without_a_numeric_score_is_refused(self, frame):
        frame["a"] = list("pqrst")
        with pytest.raises(
            DataError, match=r"'a' has values that are not finite numbers \(5 rows.*choose another score column"
        ):
            documents_of(frame)
        with pytest.raises(DataError, match=r"number in 'a', 'b'; choose other"):
            documents_of(frame, leave_out_unusable=True)

    def test_a_constant_score_is_refused(self, frame):
        frame["b"] = 0.25
        with pytest.raises(DataError, match=r"'b' holds the same score, 0\.25, in all 5 rows from row 1.*leave"):
            documents_of(frame)

    def test_score_that_raised_no_alert_has_a_note(self):
        generator = np.random.default_rng(0)
        frame = pd.DataFrame(generator.random((400, 3)), columns=["a", "b", "c"]).assign(rating=[0, 1] * 200)
        frame = frame[(frame["a"] >= 0.7) | (frame["b"] >= 0.6)]
        notes = RatedDocuments.from_frame(frame, ["a", "b", "c"], "rating", floors={"a": 0.7, "b": 0.6}).notes
        assert notes == (
            "No row was reviewed because of 'c' alone: wherever it stands, another score reaches its floor.",
        )
        assert not RatedDocuments.from_frame(frame, ["a", "b"], "rating", floors={"a": 0.7, "b": 0.6}).notes
        assert not RatedDocuments.from_frame(frame, ["a"], "rating").notes

    def test_huge_ties_are_noted_with_column_count_and_score(self, frame):
        frame["b"] = [2.5, 2.5, 8.0, 2.5, 6.0]
        notes = documents_of(frame).notes
        assert any("3 of 5" in note and "2.5" in note and "'b'" in note for note in notes)


class TestColumns:
    def test_a_missing_column_is_named_with_those_there(self, frame):
        with pytest.raises(DataError, match=r"no column 'c'; the table has 'a', 'b', 'rating', 'w'"):
            RatedDocuments.from_frame(frame, ["a", "c"], "rating")
        with pytest.raises(DataError, match=r"no column 'importance'"):
            documents_of(frame, weight="importance")

    @pytest.mark.parametrize(
        ("scores", "label", "weight"),
        [(["a", "a"], "rating", None), (["a", "b"], "rating", "a"), (["a", "b"], "rating", "rating")],
    )
    def test_the_same_column_twice_is_refused(self, frame, scores, label, weight):
        with pytest.raises(DataError, match=r"twice.*different columns"):
            RatedDocuments.from_frame(frame, scores, label, weight=weight)

    def test_repeated_column_names_are_refused(self, frame):
        frame.columns = ["a", "a", "rating", "w"]
        with pytest.raises(DataError, match=r"'a' occurs more than once; rename"):
            RatedDocuments.from_frame(frame, ["a"], "rating")

    def test_no_score_column_and_no_row_are_refused(self, frame):
        with pytest.raises(DataError, match=r"[Cc]hoose at least one score"):
            RatedDocuments.from_frame(frame, [], "rating")
        with pytest.raises(DataError, match=r"no rows; choose"):
            documents_of(frame.iloc[:0])


class TestWeights:
    def test_weights_add_up_to_the_rated_positives_and_negatives(self, frame):
        documents = documents_of(frame, weight="w")
        assert documents.weights.tolist() == [1.0, 2.0, 0.5, 3.0, 1.5]
        assert (documents.totals.tp, documents.totals.fp) == (4.0, 4.0)

    @pytest.mark.parametrize("bad", [-1.0, 0.0, np.nan, np.inf, "much", ""])
    def test_weights_that_are_not_above_zero_are_refused(self, frame, bad):
        frame["w"] = pd.Series([1.0, 2.0, bad, bad, 1.5], dtype=object)
        with pytest.raises(
            DataError,
            match=r"'w' has values that are not .* above 0 \(2 rows, first: row 3.*choose no weight column",
        ):
            documents_of(frame, weight="w")

    def test_a_bad_weight_of_an_unrated_row_does_not_matter(self, frame):
        frame["rating"] = [np.nan, 1, 1, 0, 1]
        frame.loc[0, "w"] = -4.0
        assert documents_of(frame, weight="w").weights.tolist() == [2.0, 0.5, 3.0, 1.5]


class TestFloors:
    @pytest.mark.parametrize("floors", [[0.2, 2.0], (0.2, 2.0), np.array([0.2, 2.0]), {"b": 2.0, "a": 0.2}])
    def test_floors_may_be_a_sequence_or_a_mapping(self, frame, floors):
        documents = documents_of(frame, floors=floors)
        assert documents.floors.tolist() == [0.2, 2.0]

    def test_documents_below_all_floors_are_left_out_and_counted(self, frame):
        documents = documents_of(frame, floors=[0.5, 5.5])
        assert documents.scores[:, 0].tolist() == [0.9, 0.7, 0.3]
        assert documents.funnel.at_or_above_floor == 3
        assert any("2 rated documents" in note and "row 1" in note for note in documents.notes)

    def test_missing_floor_is_suggested_from_unexplained_alerts(self, frame):
        # Rows 1, 2 and 5 lie below 0.7 in a, so b must have brought them in: its floor is at most 2.
        documents = documents_of(frame, floors={"a": 0.7})
        assert documents.floors.tolist() == [0.7, 2.0]
        assert len(documents.labels) == 5

    def test_a_floor_above_every_score_is_refused(self, frame):
        with pytest.raises(DataError, match=r"'b', 8\.5, lies above its largest score, 8 \(row 3.*lower the floor"):
            documents_of(frame, floors={"b": 8.5, "a": 0.0})

    @pytest.mark.parametrize(
        ("floors", "message"),
        [
            ({"c": 1.0}, r"'c'.*no score column"),
            ([0.1], r"1 floors were given for 2 score columns"),
            ([0.1, np.inf], r"'b' must be a finite number"),
            ([0.1, np.nan], r"'b' must be a finite number"),
        ],
    )
    def test_floors_that_do_not_fit_are_refused(self, frame, floors, message):
        with pytest.raises(DataError, match=message):
            documents_of(frame, floors=floors)

    @pytest.mark.parametrize("file", ["bssr1_two_scores_rated", "bssr1_four_scores_rated"])
    def test_suggested_floors_of_real_files_match_true_floors(self, rated_folder, file):
        facts = json.loads((rated_folder / f"{file}.json").read_text())
        frame = read_table((rated_folder / f"{file}.csv").read_bytes(), file)
        documents = RatedDocuments.from_frame(frame, facts["scores"], facts["label"], positive=1)
        true_floors = np.array([facts["rating_floors"][name] for name in facts["scores"]])
        assert len(documents.labels) == facts["rated"]
        assert documents.labels.sum() == facts["positives"]
        np.testing.assert_array_equal(documents.scores >= documents.floors, documents.scores >= true_floors)

    @pytest.mark.slow
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize(("classifiers", "documents"), [(2, 60_000), (3, 60_000), (4, 10_000)])
    def test_suggested_floors_recover_those_of_simulated_population(self, seed, classifiers, documents):
        population = simulate_population(
            np.random.default_rng(seed),
            documents=documents,
            classifiers=classifiers,
            prevalence=0.003,
            rated_share=0.02,
        )
        rated = population.rated()
        suggested = RatedDocuments(rated.scores, rated.labels).floors
        assert (rated.scores >= suggested).any(axis=1).all()
        # A document at a floor that another score brought in leaves that floor uncertain by its own score.
        differs = (rated.scores >= suggested) != (rated.scores >= population.floors)
        assert differs.mean() <= (0.001 if classifiers < 4 else 0.01)


class TestFunnel:
    def test_the_five_numbers_match_a_count_row_by_row(self):
        generator = np.random.default_rng(5)
        n = 400
        words = ["fraud", " Fraud", "ok", "OK", "", "  ", None]
        ratings = [words[i] for i in generator.integers(0, len(words), n)]
        cells = [
            [None if generator.random() < 0.2 else round(float(x), 2) for x in row] for row in generator.random((n, 2))
        ]
        frame = pd.DataFrame(cells, columns=["a", "b"])
        frame["rating"] = pd.Series(ratings, dtype=object)

        rated = complete = above = positives = 0
        for rating, row in zip(ratings, cells, strict=True):
            if rating is None or not rating.strip():
                continue
            rated += 1
            if row == [None, None]:
                continue
            complete += 1
            if (row[0] or 0) < 0.6 and (row[1] or 0) < 0.7:
                continue
            above += 1
            positives += rating.strip().lower() == "fraud"
        documents = documents_of(frame, floors={"a": 0.6, "b": 0.7})
        funnel = documents.funnel
        assert [number for _, number in funnel.steps] == [n, rated, complete, above, positives]
        assert [funnel.read, funnel.rated, funnel.complete] == [n, rated, complete]
        assert (len(documents.labels), documents.labels.sum()) == (above, positives)


class TestConstructor:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (([[1.0], [2.0]], [1, 1]), r"[Aa]ll labels are the same"),
            (([[1.0], [2.0]], [0, 2]), r"0 or 1; row 2 holds"),
            (([[1.0], [2.0]], [0, 1, 1]), r"one label for each of the 2 documents"),
            (([[1.0], [2.0]], [0, 1], [1.0]), r"one weight for each of the 2 documents"),
            (([[1.0], [1e101]], [0, 1]), r"'score 1' has 1 unusable number.*row 2.*correct or remove"),
            (([[1.0, 2.0], [2.0, np.inf]], [0, 1]), r"'score 2' has 1 unusable number.*row 2"),
            (([[1.0], [1.0]], [0, 1]), r"'score 1' holds the same score, 1, in all 2 rows"),
            (([[1.0], [2.0]], [0, 1], None, ["a", "b"]), r"2 names were given for 1"),
            (([[1.0, 2.0], [2.0, 3.0]], [0, 1], None, ["a", "a"]), r"distinct names.*'a'"),
            ((np.empty((0, 2)), []), r"table of documents by classifiers"),
            ((np.zeros((2, 2, 2)), [0, 1]), r"table of documents by classifiers"),
        ],
    )
    def test_bad_arguments_are_refused(self, arguments, message):
        with pytest.raises(DataError, match=message):
            RatedDocuments(*arguments)


class TestGroups:
    @pytest.mark.parametrize(
        ("values", "numbers"),
        [
            (["x", "y", "x", "z", "y"], [0, 1, 0, 2, 1]),
            ([7, 3, 7, 9, 3], [0, 1, 0, 2, 1]),
            ([7.5, 3.0, 7.5, 9.0, 3.0], [0, 1, 0, 2, 1]),
            (pd.to_datetime(["2024-01-02", "2024-01-01", "2024-01-02", "2024-01-02", "2024-01-01"]), [0, 1, 0, 0, 1]),
            (pd.Categorical(["x", "y", "x", "z", "y"]), [0, 1, 0, 2, 1]),
            (["x", " y", "x ", "z", "y"], [0, 1, 0, 2, 1]),
        ],
    )
    def test_groups_are_numbered_in_order_of_appearance(self, frame, values, numbers):
        frame["who"] = values
        documents = documents_of(frame, group="who")
        assert documents.groups.tolist() == numbers
        assert documents.groups.dtype == np.intp
        assert not documents.groups.flags.writeable

    @pytest.mark.parametrize("blank", [None, np.nan, pd.NA, "", "  "])
    def test_a_blank_group_stands_alone_and_is_counted(self, frame, blank):
        frame["who"] = pd.Series(["x", blank, "x", "y", blank], dtype=object)
        documents = documents_of(frame, group="who")
        assert documents.groups.tolist() == [0, 1, 0, 2, 3]
        assert any("2 rows" in note and "'who'" in note and "alone" in note for note in documents.notes)

    def test_groups_stay_with_their_rows_when_rows_are_left_out(self):
        generator = np.random.default_rng(3)
        frame = pd.DataFrame(generator.random((300, 2)).round(3), columns=["a", "b"])
        frame["rating"] = generator.choice(["fraud", "ok", ""], 300)
        frame["who"] = generator.integers(0, 60, 300)
        frame.loc[generator.random(300) < 0.2, "b"] = np.nan
        frame["a"] = frame["a"].astype(object)
        frame.loc[[4, 9], "a"] = "n/k"
        documents = documents_of(frame, group="who", floors=[0.4, 0.5], leave_out_unusable=True)
        kept = [
            i
            for i, (a, b, rating) in enumerate(zip(frame["a"], frame["b"], frame["rating"], strict=True))
            if rating and a != "n/k" and (a >= 0.4 or b >= 0.5)
        ]
        assert documents.scores.tolist() == [[frame["a"][i], frame["b"].fillna(-np.inf)[i]] for i in kept]
        who = frame["who"].to_numpy()[kept]
        assert np.array_equal(documents.groups[:, None] == documents.groups, who[:, None] == who)
        assert sorted(set(documents.groups)) == list(range(len(set(who))))

    @pytest.mark.parametrize("groups", [[1, 2], np.zeros((3, 2)), [[1], [2], [3]], 5 * ["x"]])
    def test_groups_that_do_not_fit_are_refused(self, groups):
        with pytest.raises(DataError, match=r"one group for each of the 3 documents|numbers or words"):
            RatedDocuments([0.1, 0.9, 0.5], [0, 1, 1], groups=groups)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            (["x"] * 5, r"'who' holds one group only, 'x', in all 5 usable rows \(from row 1 on\).*choose another"),
            ([None] * 5, r"5 usable rows of 'who' are blank; choose another"),
            (["", " ", "", "", ""], r"5 usable rows of 'who' are blank; choose another"),
        ],
    )
    def test_column_without_groups_is_refused(self, frame, values, message):
        frame["who"] = pd.Series(values, dtype=object)
        with pytest.raises(DataError, match=message):
            documents_of(frame, group="who")

    def test_a_part_keeps_floors_weights_and_groups(self, frame):
        frame["who"] = ["x", "y", "x", "z", "y"]
        documents = documents_of(frame, group="who", weight="w", floors=[0.1, 0.5])
        for rows in (np.array([1, 3, 4]), np.array([False, True, False, True, True])):
            part = documents.part(rows)
            assert part.scores.tolist() == [[0.4, 2.0], [0.7, 1.0], [0.3, 6.0]]
            assert part.labels.tolist() == [True, False, True]
            assert part.weights.tolist() == [2.0, 3.0, 1.5]
            assert part.floors.tolist() == [0.1, 0.5]
            assert part.groups.tolist() == [0, 1, 0]
            assert part.names == documents.names
        with pytest.raises(DataError, match="labels are the same"):
            documents.part(np.array([1, 2]))


@pytest.mark.parametrize("weight", [5e-324, 1e-200, -1.0, 0.0])
def test_weight_without_use_is_refused(weight):
    weights = np.ones(8)
    weights[3] = weight
    labels = [True, False] * 4
    with pytest.raises(DataError, match="row 4 holds"):
        RatedDocuments(np.linspace(0, 1, 8), labels, weights)
    frame = pd.DataFrame({"a": np.linspace(0, 1, 8), "rating": labels, "w": weights})
    with pytest.raises(DataError, match="row 4"):
        RatedDocuments.from_frame(frame, ["a"], "rating", True, "w")


@pytest.mark.parametrize(
    ("others", "value"), [((0, 1), 9_999), ((0, 100), 999), ((300, 850), 9_999), ((-5, 5), 1e6), ((0, 1), 2.0**31 - 1)]
)
def test_value_far_above_all_scores_has_a_caution(others, value):
    scores = np.append(np.linspace(*others, 60), [value, value])
    notes = RatedDocuments(scores, np.arange(62) % 2 == 0).notes
    (note,) = [note for note in notes if "far above" in note]
    assert note.startswith("2 documents")
    assert f"{value:.15g}" in note
    assert not [note for note in RatedDocuments(scores[:-2], np.arange(60) % 2 == 0).notes if "far above" in note]
