import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../core/is_object.ts'
import { formatExpression } from '../expression/expression_format.ts'
import type { Rule, Style } from '../style_model.ts'
import type { MapSymbol, SymbolLayer } from '../symbol_layer.ts'
import {
  describeRule,
  describeValue,
  describeValues,
  isWhole,
  nameOfLayer,
  nameOfProperty,
} from './style_words.ts'

/** A difference of two styles, in words. */
export interface StyleEdit {
  /** Names from the style down, such as `rule "Motorways"` and `line 2`; empty for the style as a whole. */
  readonly path: readonly string[]
  readonly action: 'add' | 'remove' | 'change'
  /** Name of what changes, such as `width`; `order` if the rules of the path have another order. */
  readonly property?: string
  /** Old value, or what is removed. */
  readonly from?: string
  /** New value, or what is added. */
  readonly to?: string
}

/** Lists the differences of two styles, by rule and symbol; empty exactly if they draw the same. */
export function diffStyles(from: Style, to: Style): StyleEdit[] {
  return diffMembers({ path: [], names: [] }, from, to)
}

interface Place {
  readonly path: readonly string[]
  /** Names of the members from the object of the path to the compared one. */
  readonly names: readonly string[]
}

type Members = Readonly<Record<string, unknown>>

function diffMembers({ path, names }: Place, from: object, to: object): StyleEdit[] {
  const [old, next] = [from as Members, to as Members]
  const keys = [...new Set([...Object.keys(next), ...Object.keys(old)])]
  return keys.flatMap((key) => {
    const pair = { from: old[key], to: next[key] }
    if (isDeepStrictEqual(pair.from, pair.to)) return []
    // A line is its stroke.
    const isLine = key === 'stroke' && next.kind === 'line'
    return diffMember({ path, names: isLine ? names : [...names, key] }, key, pair)
  })
}

interface Pair {
  readonly from: unknown
  readonly to: unknown
}

function diffMember(place: Place, key: string, { from, to }: Pair): StyleEdit[] {
  const { path } = place
  if (key === 'rules' || key === 'children') return diffRules(path, from as Rule[], to as Rule[])
  if (key === 'labels') return diffParts(path, nameNumbered(from, 'labels'), nameNumbered(to, 'labels'))
  if (isObject(from) && isObject(to)) {
    if (isSymbol(from) && isSymbol(to))
      return diffSymbols(key === 'symbol' ? path : [...path, nameOfProperty([key])], from, to)
    if (!isWhole(from) && !isWhole(to)) return diffMembers(place, from, to)
  }
  const [before, after] = describeValues(key, from, to)
  return [{ path, action: 'change', property: nameOfProperty(place.names), from: before, to: after }]
}

const isSymbol = (value: Members): boolean => Array.isArray(value.layers)

function diffRules(path: readonly string[], from: readonly Rule[], to: readonly Rule[]): StyleEdit[] {
  const [old, next] = [nameRules(from), nameRules(to)]
  const match = matchRules(from, to)
  const placeOf = (name: string) => (name === '' ? path : [...path, name])
  const edits: StyleEdit[] = []
  for (const [at, rule] of to.entries()) {
    const place = placeOf(next[at] ?? '')
    const before = match.get(at)
    const found = before === undefined ? undefined : from[before]
    if (before === undefined || found === undefined)
      edits.push({ path: place, action: 'add', to: describeRule(rule) })
    else edits.push(...diffMembers({ path: placeOf(old[before] ?? ''), names: [] }, found, rule))
  }
  const kept = new Set(match.values())
  for (const [at, rule] of from.entries())
    if (!kept.has(at))
      edits.push({ path: placeOf(old[at] ?? ''), action: 'remove', from: describeRule(rule) })
  return [...edits, ...diffOrder(path, old, [...match.entries()])]
}

/** Tells the order of the rules that both have, from the first to the last that moves. */
function diffOrder(
  path: readonly string[],
  names: readonly string[],
  pairs: readonly (readonly [next: number, old: number])[],
): StyleEdit[] {
  const after = pairs.toSorted(([one], [other]) => one - other).map(([, old]) => old)
  const before = after.toSorted((one, other) => one - other)
  const first = after.findIndex((at, index) => at !== before[index])
  if (first < 0) return []
  const last = after.findLastIndex((at, index) => at !== before[index])
  const show = (order: readonly number[]) =>
    order
      .slice(first, last + 1)
      .map((at) => (names[at] ?? '').replace(/^rule /, ''))
      .join(', ')
  return [{ path, action: 'change', property: 'order', from: show(before), to: show(after) }]
}

function diffSymbols(path: readonly string[], from: Members, to: Members): StyleEdit[] {
  const [{ layers: old, ...before }, { layers: next, ...after }] = [from, to] as unknown as [
    MapSymbol,
    MapSymbol,
  ]
  return [
    ...diffMembers({ path, names: ['symbol'] }, before, after),
    ...diffParts(path, nameLayers(old), nameLayers(next)),
  ]
}

type Part = readonly [name: string, value: object]

/** Layers of the same kind are numbered from the bottom. */
function nameLayers(layers: readonly SymbolLayer[]): Part[] {
  const counts = new Map<string, number>()
  return layers.map((layer) => {
    const name = nameOfLayer(layer)
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return [count === 1 ? name : `${name} ${count}`, layer]
  })
}

function nameNumbered(list: unknown, name: string): Part[] {
  return (list as readonly object[]).map((one, at) => [at === 0 ? name : `${name} ${at + 1}`, one])
}

/** Compares parts by name; parts that change their place are told by their order. */
function diffParts(path: readonly string[], from: readonly Part[], to: readonly Part[]): StyleEdit[] {
  const old = new Map(from)
  const next = new Map(to)
  const edits = to.flatMap(([name, value]): StyleEdit[] => {
    const before = old.get(name)
    const place = [...path, name]
    if (before === undefined) return [{ path: place, action: 'add', to: describeValue('', value) }]
    return diffMembers({ path: place, names: [] }, before, value)
  })
  for (const [name, value] of from)
    if (!next.has(name))
      edits.push({ path: [...path, name], action: 'remove', from: describeValue('', value) })
  const kept = [...next.keys()].filter((name) => old.has(name))
  const order = [...old.keys()].filter((name) => next.has(name))
  if (isDeepStrictEqual(kept, order)) return edits
  return [
    ...edits,
    { path, action: 'change', property: 'order', from: order.join(', '), to: kept.join(', ') },
  ]
}

/** Names the rules of a list by label, filter or position; the empty name is that of a single rule for all features. */
function nameRules(rules: readonly Rule[]): string[] {
  const counts = new Map<string, number>()
  return rules.map((rule, at) => {
    const base = nameOf(rule) ?? (rules.length === 1 ? '' : `rule ${at + 1}`)
    const count = (counts.get(base) ?? 0) + 1
    counts.set(base, count)
    return count === 1 ? base : `${base} (${count})`
  })
}

function nameOf({ label, filter, isElse }: Rule): string | undefined {
  if (label !== undefined && label !== '') return `rule "${label}"`
  if (isElse) return 'rule ELSE'
  return filter === undefined ? undefined : `rule ${formatExpression(filter)}`
}

/**
 * Finds the rules that two lists share, as positions in the old list by those in the new one: rules with the same name, then with
 * the same filter, then, if as many are left, those in the same order.
 */
function matchRules(from: readonly Rule[], to: readonly Rule[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const [old, next] = [nameRules(from), nameRules(to)]
  join(found, old, next)
  const filterOf = ({ filter }: Rule) => (filter === undefined ? undefined : JSON.stringify(filter))
  const open = (rules: readonly Rule[], taken: ReadonlySet<number>) =>
    rules.map((rule, at) => (taken.has(at) ? undefined : filterOf(rule)))
  join(found, open(from, new Set(found.values())), open(to, new Set(found.keys())))
  const taken = new Set(found.values())
  const left = from.flatMap((_, at) => (taken.has(at) ? [] : [at]))
  const added = to.flatMap((_, at) => (found.has(at) ? [] : [at]))
  if (left.length === added.length)
    for (const [index, at] of added.entries()) {
      const before = left[index] ?? 0
      if (isSimilar(from[before], to[at])) found.set(at, before)
    }
  return found
}

/** Joins the positions with the same identity; each position once. */
function join(
  found: Map<number, number>,
  old: readonly (string | undefined)[],
  next: readonly (string | undefined)[],
): void {
  const places = new Map<string, number>()
  for (const [at, name] of old.entries()) if (name !== undefined && !places.has(name)) places.set(name, at)
  for (const [at, name] of next.entries()) {
    const before = name === undefined ? undefined : places.get(name)
    if (name === undefined || before === undefined) continue
    places.delete(name)
    found.set(at, before)
  }
}

/** Whether two rules have layers of the same kinds in their symbols. */
function isSimilar(one: Rule | undefined, other: Rule | undefined): boolean {
  const kinds = (rule: Rule | undefined) => rule?.symbol?.layers.map(({ kind }) => kind)
  return isDeepStrictEqual(kinds(one), kinds(other))
}
