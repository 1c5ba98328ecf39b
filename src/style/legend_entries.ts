import { equalityOf } from './expression/equality_index.ts'
import { type Expression, fieldsOf } from './expression/expression.ts'
import { formatExpression } from './expression/expression_format.ts'
import { fixedLayer } from './fixed_symbol.ts'
import { compileValues } from './resolve_symbol.ts'
import type { Rule, Style } from './style_model.ts'
import type { MapSymbol, SymbolLayer } from './symbol_layer.ts'

/** A symbol of the legend of a style. */
export interface LegendEntry {
  /** Position among all symbols of the style, those that are not drawn included. */
  readonly index: number
  readonly rule: Rule
  /** Name of the rule, else its condition; empty for a rule without both. */
  readonly title: string
  /** Whether the rule and all rules above it are enabled. */
  readonly isDrawn: boolean
}

/** Group that legends show. */
const sample = { attributes: {}, cluster: { size: 10, color: '' } }

/** Lists the symbols of a style: those of all rules that have one, children after their parent, and that of its groups. */
export function legendEntries({ rules, groups }: Pick<Style, 'rules' | 'groups'>): LegendEntry[] {
  const entries: LegendEntry[] = []
  addEntries(rules, true, entries)
  if (groups === undefined) return entries
  // A symbol without a name is told apart from that of groups.
  const named = entries.map((entry) => (entry.title === '' ? { ...entry, title: 'Single points' } : entry))
  addEntries(groupRules(groups), true, named)
  return named
}

/** Returns a rule with the symbol of groups, which follows those of the style. */
function groupRules(groups: Style['groups']): Rule[] {
  if (groups === undefined) return []
  const symbol = sampleSymbol(groups.symbol)
  return [{ label: 'Several points', isElse: false, isDrawn: true, symbol, labels: [], children: [] }]
}

function addEntries(rules: readonly Rule[], isParentDrawn: boolean, into: LegendEntry[]): void {
  for (const rule of rules) {
    const isDrawn = isParentDrawn && rule.isDrawn
    if (hasLayers(rule)) into.push({ index: into.length, rule, title: titleOf(rule), isDrawn })
    addEntries(rule.children, isDrawn, into)
  }
}

const titleOf = ({ label, filter }: Rule) => label ?? (filter === undefined ? '' : describeFilter(filter))

/** Describes a condition by the values of its field, as captions of categories do, else by its text. */
export function describeFilter(filter: Expression): string {
  const equality = equalityOf(filter)
  const isOfField = equality !== undefined && fieldsOf(equality.operand).length === 1
  return isOfField ? equality.values.join(', ') : formatExpression(filter)
}

/** Counts the symbols of a style, whose positions start at 0. */
export function countSymbols({ rules, groups }: Pick<Style, 'rules' | 'groups'>): number {
  const countOf = (rule: Rule): number => (hasLayers(rule) ? 1 : 0) + countSymbols({ rules: rule.children })
  return [...rules, ...groupRules(groups)].reduce((count, rule) => count + countOf(rule), 0)
}

const hasLayers = ({ symbol }: Rule) => symbol !== undefined && symbol.layers.length > 0

/**
 * Returns a style that draws only some symbols, whether its rules are enabled or not. The other rules still take their
 * features from ELSE rules and from rules after them.
 *
 * @param indexes positions as in `legendEntries`; others are ignored
 */
export function selectSymbols(style: Style, indexes: ReadonlySet<number>): Style {
  let next = 0
  // Points belong to groups, also those whose own symbol is not chosen.
  const hasGroups = style.groups !== undefined && indexes.has(countSymbols(style) - 1)
  const select = (rule: Rule): Rule => {
    const isEntry = hasLayers(rule)
    const isChosen = isEntry && indexes.has(next)
    if (isEntry) next += 1
    const children = rule.children.map(select)
    if (isChosen) return { ...rule, isDrawn: true, children }
    if (!isEntry && rule.isDrawn) return { ...rule, children }
    return { ...hideRule(rule), isDrawn: (hasGroups && rule.isDrawn) || children.some(drawsAny), children }
  }
  const rules = style.rules.map(select)
  const { groups } = style
  if (groups === undefined || hasGroups) return { ...style, rules }
  return { ...style, rules, groups: { ...groups, symbol: { ...groups.symbol, layers: [] } } }
}

/** A rule whose symbol has no layers draws nothing, but takes its features as before. */
function hideRule({ symbol, ...rule }: Rule): Rule {
  return { ...rule, labels: [], ...(symbol === undefined ? {} : { symbol: { ...symbol, layers: [] } }) }
}

const drawsAny = (rule: Rule): boolean => rule.isDrawn && (hasLayers(rule) || rule.children.some(drawsAny))

/** Returns the symbol of groups as legends show it: with the number of points of a usual group. */
function sampleSymbol(symbol: MapSymbol): MapSymbol {
  return { ...symbol, layers: symbol.layers.map(sampleLayer) }
}

/** Puts values that depend on the group in place of its expressions. */
function sampleLayer(grouped: SymbolLayer): SymbolLayer {
  const layer = fixedLayer(grouped)
  if (layer.dataDefined === undefined) return layer
  const values = compileValues(layer.dataDefined)(sample)
  const dataDefined = Object.fromEntries(
    [...values].map(([name, value]) => [name, { op: 'literal', value }] as const),
  )
  return { ...layer, dataDefined }
}
