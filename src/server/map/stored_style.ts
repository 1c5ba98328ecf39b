import { type GeometryType, geometryParts } from '../../contract/geometry.ts'
import type { Issue } from '../../core/issue.ts'
import type { Queryable } from '../../database/database.ts'
import { memberTable } from '../../store/classes/member_table.ts'
import type { Layer } from '../../store/layer/stored_layer.ts'
import { defaultStyle } from '../../style/default_style.ts'
import { readMapserverXml } from '../../style/mapserver/mapserver_read.ts'
import { styleOfMapserver } from '../../style/mapserver/mapserver_style.ts'
import { readDesktopStyle } from '../../style/qml/desktop_style.ts'
import type { Style } from '../../style/style_model.ts'

/** Style of a layer, and the parts that are not drawn as it says. */
export interface ParsedStyle {
  readonly style: Style
  readonly issues: readonly Issue[]
}

/** Layer whose features a style draws. */
export type StyledLayer = Pick<Layer, 'geometryType' | 'fields'>

/** Parses a stored style for a layer. A style that is not valid is the default style of the layer. */
export type ParseStyle = (layer: StyledLayer) => ParsedStyle

/** Finds the stored styles of features by id, as parsers; omits ids of other classes. */
export async function findStyles(tx: Queryable, ids: readonly number[]): Promise<Map<number, ParseStyle>> {
  const xml = await memberTable('mapsrv_style').find(tx, ids)
  const qml = await memberTable('desk_vector_style').find(tx, ids)
  return new Map([
    ...[...xml].map(([id, row]): [number, ParseStyle] => [id, (layer) => parseXml(row.xml, layer)]),
    ...[...qml].map(([id, row]): [number, ParseStyle] => [id, (layer) => parseQmlStyle(row.qml, layer)]),
  ])
}

function parseXml(xml: string, { geometryType }: StyledLayer): ParsedStyle {
  const { style, issues } = readMapserverXml(xml)
  return style === undefined
    ? { style: defaultStyle(geometryType), issues }
    : { style: styleOfMapserver(style, familyOf(geometryType)), issues }
}

const familyOf = (geometryType: GeometryType) => geometryParts(geometryType).family

function parseQmlStyle(qml: string, { geometryType, fields }: StyledLayer): ParsedStyle {
  const { style = defaultStyle(geometryType), issues } = readDesktopStyle(qml, {
    fields: fields.map(({ keyname }) => keyname),
  })
  return { style, issues }
}
