import type { Queryable } from '../../database/database.ts'
import type { RenderSource } from '../../store/classes/render_source.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { defaultStyle } from '../../style/default_style.ts'
import type { Style } from '../../style/style_model.ts'
import { findStyles, type ParsedStyle } from './stored_style.ts'

type StyledResource = Pick<RenderSource, 'id' | 'cls' | 'parentId'>

/** Returns the id of the layer that a style or layer draws. */
export function renderedLayerId({ id, cls, parentId }: StyledResource): number {
  return cls.endsWith('_style') ? (parentId ?? id) : id
}

/** Reads the style of a resource; the default style for layers. */
export async function readStyle(
  tx: Queryable,
  { id, cls }: StyledResource,
  layer: Layer,
): Promise<ParsedStyle> {
  const parse = cls.endsWith('_style') ? (await findStyles(tx, [id])).get(id) : undefined
  return parse?.(layer) ?? { style: defaultStyle(layer.geometryType), issues: [] }
}

/** Lists the fields that a style reads, apart from labels. */
export function fieldsOfStyle({ rules, order, groups }: Style): string[] {
  const names = new Set<string>()
  collectFields([rules, order, groups], names, isSymbolPart)
  return [...names]
}

const isSymbolPart = (name: string) => name !== 'labels'

/** Lists the fields that the labels of a style read. */
export function fieldsOfLabels({ labels, rules }: Style): string[] {
  const names = new Set<string>()
  collectFields([labels, labelsOf(rules)], names)
  return [...names]
}

function labelsOf(rules: Style['rules']): unknown[] {
  return rules.flatMap(({ labels, children }) => [...labels, ...labelsOf(children)])
}

// Generic over all places of expressions in rules and symbols.
function collectFields(
  value: unknown,
  into: Set<string>,
  isRead: (member: string) => boolean = () => true,
): void {
  if (typeof value !== 'object' || value === null) return
  if ('op' in value && value.op === 'field' && 'name' in value) into.add(String(value.name))
  for (const [name, inner] of Object.entries(value)) if (isRead(name)) collectFields(inner, into, isRead)
}
