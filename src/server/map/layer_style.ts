import { geometryParts } from '../../contract/geometry.ts'
import { problem } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import type { Queryable } from '../../database/database.ts'
import { memberTable } from '../../store/classes/member_table.ts'
import type { RenderSource } from '../../store/classes/render_source.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { defaultStyle } from '../../style/default_style.ts'
import { readMapserverXml } from '../../style/mapserver_read.ts'
import { styleOfMapserver } from '../../style/mapserver_style.ts'
import { readQml } from '../../style/qml_read.ts'
import type { Style } from '../../style/style_model.ts'

/** Classes of styles and layers that are rendered. */
const renderedClasses: readonly string[] = [
  'mapsrv_style',
  'desk_vector_style',
  'vector_layer',
  'geodb_layer',
]

/**
 * Returns the id of the layer that a resource renders.
 *
 * @throws {Problem} render/unsupported for other resources than vector layers and their styles
 */
export function renderedLayerId({ id, cls, parentId }: RenderSource): number {
  if (!renderedClasses.includes(cls))
    throw problem(
      'render/unsupported',
      `Resources of class ${cls} such as id = ${id} cannot be rendered yet.`,
      {
        resource: id,
      },
    )
  return cls.endsWith('_style') ? (parentId ?? id) : id
}

/**
 * Reads the style of a resource; the default style for layers.
 *
 * @throws {Problem} render/unsupported, with the issues, for a style that cannot be drawn at all
 */
export async function readStyle(tx: Queryable, { id, cls }: RenderSource, layer: Layer): Promise<Style> {
  if (cls === 'mapsrv_style') {
    const xml = (await memberTable('mapsrv_style').find(tx, [id])).get(id)?.xml ?? ''
    const { style, issues } = readMapserverXml(xml)
    return drawable(style && styleOfMapserver(style, geometryParts(layer.geometryType).family), id, issues)
  }
  if (cls === 'desk_vector_style') {
    const qml = (await memberTable('desk_vector_style').find(tx, [id])).get(id)?.qml ?? ''
    const { style, issues } = readQml(qml)
    return drawable(style, id, issues)
  }
  return defaultStyle(layer.geometryType)
}

function drawable(style: Style | undefined, id: number, issues: readonly Issue[]): Style {
  if (style !== undefined) return style
  const [first] = issues
  const place = first?.span === undefined ? '' : `${first.span.line}:${first.span.column}: `
  const reason = first === undefined ? '' : ` ${place}${first.message}.`
  throw problem('render/unsupported', `Style with id = ${id} cannot be rendered.${reason}`, {
    resource: id,
    issues,
  })
}

/** Lists the fields that a style reads, apart from labels. */
export function fieldsOfStyle({ rules, order }: Style): string[] {
  const names = new Set<string>()
  collectFields([rules, order], names)
  return [...names]
}

// Generic over all places of expressions in rules and symbols.
function collectFields(value: unknown, into: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  if ('op' in value && value.op === 'field' && 'name' in value) into.add(String(value.name))
  for (const inner of Object.values(value)) collectFields(inner, into)
}
