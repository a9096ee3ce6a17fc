"""The recall pipeline, in its order, on one page.

Law: filter first, then score all that is left, then cut. Direct evidence stands above indirect. Reads only.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from heapq import merge
from itertools import takewhile
from operator import itemgetter
from typing import TYPE_CHECKING

from kit import text
from kit.model.hits import Recall
from kit.recall import layered, match, score, spelling, telling
from kit.recall.beside import beside
from kit.recall.query import Proofs
from kit.recall.sieve import Best, Found, Gate, saying

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from kit.index.reflection import Index
    from kit.recall.match import Concept, Matched
    from kit.recall.query import Query, TextProof

CO_TAG = 0.25
"""Strength a co-tag round can give at most, as a share of the round before."""
CO_TAG_CARDS = 12
"""Cards of a round whose tags the next one follows."""


def recall(index: Index, query: Query) -> Recall:
    """Answer a question with the cards and facts worth recalling, best first, each with its reasons."""
    index.refresh()
    said, matched = query.text, _matched(index, query)
    rows = index.features.rows()
    shut = _shut(index, query.exclude)
    asked = score.Asked(
        query.now.timestamp(), query.scene or query.perception.scene,
        query.scene_sub or query.perception.scene_sub, bool(query.scene), query.sought,
        score.narrowing(query.times, query.now.timestamp()),
    )  # fmt: skip
    among = set(index.postings.cards(f"category:{query.category}")) if query.category else None
    gate = Gate(
        rows, shut, project=text.key(query.project), topic=text.key(query.topic), now=asked.now,
        layer=query.layer, among=among, passing=query.weights.layered,
    )  # fmt: skip
    if query.weights.layered:
        found, codes = layered.hits(index, query, gate, matched.concepts), tuple(one.name for one in matched.concepts)
        seen, lacking = query.perception, matched.malformed
        return Recall(query.text, found, seen, seen.route, codes, matched.missing, lacking, query.remarks)
    query, matched, tell = _heard(index, query, gate, matched)
    asked = asked._replace(long=query.phrases)
    called = sum(concept.trust > 1 for concept in matched.concepts)
    if query.further and called > 1:
        query = query._replace(limit=query.limit + min(query.further, called - 1))
    strengths = _strengths(index, matched.concepts, query)
    tallest = score.tallest(query.weights, index.features.sorts(), asked)
    best = _best(query, gate, strengths, asked, tallest)
    ranked = best.ranked()
    query = query._replace(proofs=tell([each.num for each in ranked]))
    hits = telling.hits(index, query, asked, matched.concepts, best, ranked)
    hits += [
        telling.filled(index, query, asked, *each)
        for each in _co_tags(index, query, asked, gate, best, matched.concepts, tallest)
    ]
    codes = tuple(concept.name for concept in sorted(matched.concepts, key=lambda one: -one.weight))
    return Recall(
        said, tuple(hits), query.perception, query.perception.route, codes,
        matched.missing, matched.malformed, query.remarks,
    )  # fmt: skip


def _matched(index: Index, query: Query) -> Matched:
    matched = match.match(index, query.text, query.tags)
    matched = _with_codes(index, matched, query.codes)
    return matched._replace(concepts=(*matched.concepts, *match.at_times(index, query.times)))


def _heard(
    index: Index, query: Query, gate: Gate, matched: Matched
) -> tuple[Query, Matched, Callable[[Collection[int]], Mapping[int, TextProof]]]:
    """Hear the full text, and what stands beside the cards it names; return also who can tell more of them.

    What neither it nor any name knows may be misspelt; then all are asked again.
    """
    heard, witness = Proofs(), query.witness
    if witness:
        heard = witness(query.text, matched.persons, gate.opens, query.limit)
        said, slips = spelling.mended(index, query.text, heard.rarity) if heard.whole else (query.text, ())
        if slips:
            query = query._replace(text=said, remarks=(*query.remarks, *slips))
            matched = _matched(index, query)
            heard = witness(said, matched.persons, gate.opens, query.limit)
        unnamed = sum(weight for word, weight in heard.rarity.items() if word not in matched.covered)
        query = query._replace(
            gains=heard.gains, phrases=heard.phrases, remarks=(*query.remarks, *heard.remarks), unnamed=unnamed
        )  # fmt: skip
    if query.gains and score.hears_beside(query.weights):
        query = query._replace(beside=beside(index, query.gains, query.weights.steps, heard.words))
    return query, matched, heard.tell


def _with_codes(index: Index, matched: Matched, codes: Sequence[str]) -> Matched:
    concepts = {concept.name: concept for concept in matched.concepts}
    missing = list(matched.missing)
    for code in codes:
        held = index.pool.at_code(code)
        asked = match.match(index, "", [held.tag.name if held else code.removeprefix("=")])
        concepts |= {concept.name: concept for concept in asked.concepts}
        missing += asked.missing
    return matched._replace(concepts=tuple(concepts.values()), missing=tuple(missing))


def _strengths(index: Index, concepts: Sequence[Concept], query: Query) -> dict[int, float]:
    """Open the password book: the weight of what each card matches ÷ the weight of what is asked, ≤ 1."""
    total = score.asked_weight(query.weights, concepts, query.unnamed)
    strengths: dict[int, float] = {}
    for concept in concepts:
        share = score.weigh(query.weights, concept) / total * score.trust(query.weights, concept)
        best: dict[int, float] = {}
        for way in reversed(concept.ways):  # the strongest way last, so that it stays
            for term in way.terms:
                best.update(dict.fromkeys(index.postings.cards(term), share * way.credit))
        if strengths:
            get = strengths.get
            for num, credit in best.items():
                strengths[num] = get(num, 0.0) + credit
        else:
            strengths = best
    return strengths


def _shut(index: Index, ids: Collection[str]) -> set[int]:
    return index.catalog.numbers_of(ids) if ids else set()


def _best(query: Query, gate: Gate, strengths: dict[int, float], asked: score.Asked, tallest: float) -> Best:
    """Score every card with evidence and keep the best; stop where no card left could still get in."""
    best = Best(max(0, query.limit))
    score_of, row_of, threshold = score.scorer(query.weights, asked), gate.row, query.threshold
    scene = score.scene_most(query.weights, asked)
    least = (threshold - scene) / tallest if tallest > 0 else 1.0
    for proof, nums in _by_evidence(query, strengths, least * (1 - 1e-9)):
        if proof <= 0 or best.is_settled(proof * tallest + scene):
            break
        for num in nums:
            row = row_of(num)
            if row is None:
                continue
            value = score_of(row, proof)
            if value >= threshold:
                best.offer(row, value, proof)
    return best


def _by_evidence(query: Query, strengths: dict[int, float], least: float) -> Iterable[tuple[float, Sequence[int]]]:
    """Order the cards with at least so much evidence, those with none but the same features together."""
    weights, (near, topic, answer, lent) = query.weights, query.beside
    of_text, of_near, of_topic, of_lent = weights.text, weights.near, weights.topic, weights.lent
    gains = {num: of_text * gain for num, gain in query.gains.items()}
    get, lend = gains.get, lent.get
    for num, gain in near.items():
        more = of_near * gain + of_topic * topic[num] + of_lent * lend(num, 0.0)
        gains[num] = get(num, 0.0) + more
    for num, gain in answer.items():
        gains[num] = get(num, 0.0) + weights.answer * gain
    for num, (gain, _) in query.phrases.items():
        gains[num] = get(num, 0.0) + weights.phrase * gain
    joined, both = score.joiner(weights), gains.keys() & strengths.keys()
    found: list[tuple[float, Sequence[int]]] = [(joined(strengths[num], gains.pop(num)), (num,)) for num in both]
    alike: defaultdict[float, list[int]] = defaultdict(list)
    for num, strength in strengths.items():
        if num not in both:
            alike[strength].append(num)
    found += [(joined(strength, 0.0), nums) for strength, nums in alike.items()]
    found.sort(key=itemgetter(0), reverse=True)
    # of those that words alone speak for, mostly the first few are asked for
    worded = ((joined(0.0, gain), (num,)) for num, gain in sorted(gains.items(), key=itemgetter(1), reverse=True))
    ordered = merge(found, worded, key=itemgetter(0), reverse=True)
    return takewhile(lambda one: one[0] >= least, ordered)


def _co_tags(
    index: Index,
    query: Query,
    asked_for: score.Asked,
    gate: Gate,
    best: Best,
    concepts: Sequence[Concept],
    tallest: float,
) -> list[tuple[Found, int, str]]:
    """Infer through the tags of the cards found, round by round, only to fill places that are left."""
    found = best.ranked()
    room = query.limit - len(found)
    if room <= 0 or not found:
        return []
    asked = {term for concept in concepts for way in concept.ways for term in way.terms}
    frontier = [(each.num, each.proof) for each in found[:CO_TAG_CARDS]]
    reached = {each.num for each in found}
    # half the score of the weakest direct hit: an indirect card never ties with one
    most = found[-1].score / 2
    if most < query.threshold:
        return []
    filled: list[tuple[Found, int, str]] = []
    for round_ in range(1, query.co_tag_rounds + 1):
        if CO_TAG**round_ * tallest < query.threshold:
            break  # neither this round nor a later one could reach the threshold
        terms = _shared_terms(index, frontier, asked)
        asked |= set(terms)
        frontier = []
        for num, (share, term) in _onward(index, terms, reached).items():
            row = gate.row(num)
            if row is not None:
                standing = score.standing(query.weights, row, asked_for)
                proof = min(share * CO_TAG**round_, most / standing) if standing > 0 else 0.0
                filled.append((Found(proof * standing, row.created, num, proof), round_, term))
                frontier.append((num, share))
                reached.add(num)
        frontier = sorted(frontier, key=lambda pair: -pair[1])[:CO_TAG_CARDS]
    rows, said = index.features.rows(), best.says()
    distinct: dict[str, tuple[Found, int, str]] = {}
    for each in sorted(filled, reverse=True):
        if each[0].score >= query.threshold and saying(rows[each[0].num]) not in said:
            distinct.setdefault(saying(rows[each[0].num]), each)
    return list(distinct.values())[:room]


def _onward(index: Index, terms: dict[str, float], reached: Collection[int]) -> dict[int, tuple[float, str]]:
    """Find the cards that terms lead to, each by its strongest term."""
    found: dict[int, tuple[float, str]] = {}
    for term, share in terms.items():
        for num in index.postings.cards(term):
            if num not in reached and share > found.get(num, (0.0, ""))[0]:
                found[num] = (share, term)
    return found


def _shared_terms(index: Index, frontier: Sequence[tuple[int, float]], asked: set[str]) -> dict[str, float]:
    shares: Counter[str] = Counter()
    borne = index.postings.terms_of_all([num for num, _ in frontier])
    for num, strength in frontier:
        for term in borne[num]:
            if term.startswith("tag:") and term not in asked:
                shares[term] += strength / len(frontier)  # type: ignore[assignment]  # a Counter of floats
    return {term: min(1.0, share) * match.idf(index, index.postings.df(term)) for term, share in shares.items()}
