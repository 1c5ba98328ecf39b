import type { GeometryFamily } from '../contract/geometry.ts'
import { compareIssues, type Issue } from '../core/issue.ts'
import { readJson } from './json_read.ts'
import { isMapboxStyle } from './mapbox/mapbox_read.ts'
import { readMapserverXml } from './mapserver/mapserver_read.ts'
import { styleOfMapserver } from './mapserver/mapserver_style.ts'
import { checkMissingFields, fieldsReadBy } from './missing_fields.ts'
import { readDesktopStyle } from './qml/desktop_style.ts'
import { maxQmlLength } from './qml/qml_parse.ts'
import { withAdvice } from './style_advice.ts'
import type { Style } from './style_model.ts'
import { readXml } from './xml/xml_read.ts'

/** Languages of styles. */
export type StyleLanguage = 'mapserver' | 'qml'

/** Languages of styles, by the member of the resource that has the text. */
export const styleMembers = [
  { cls: 'mapsrv_style', field: 'xml', language: 'mapserver' },
  { cls: 'desk_vector_style', field: 'qml', language: 'qml' },
] as const satisfies readonly { cls: string; field: string; language: StyleLanguage }[]

/** What is known about a style. */
export interface StyleCheckOptions {
  /** File name in issue positions. */
  readonly file?: string
  /** Names of the fields of the layer; undefined if they are not known. */
  readonly fields?: readonly string[] | undefined
}

/**
 * Lists everything in a style that is not drawn as it says: errors, for which the style cannot be used, and warnings, with
 * position and advice. If the fields of the layer are known, fields that it does not have are reported too.
 */
export function checkStyleText(
  language: StyleLanguage,
  text: string,
  options: StyleCheckOptions = {},
): readonly Issue[] {
  const { file = language === 'qml' ? 'qml' : 'xml', fields } = options
  const { style, issues } = readers[language](text, { file, fields })
  const missing =
    style === undefined || fields === undefined ? [] : findMissing(text, { file, fields, style })
  return [...issues, ...missing].map(withAdvice).toSorted(compareIssues)
}

interface Reading {
  readonly style?: Style | undefined
  readonly issues: readonly Issue[]
}

interface ReadOptions {
  readonly file: string
  readonly fields?: readonly string[] | undefined
  /** Geometries of the layer; polygons if they are not known, which changes neither filters nor labels. */
  readonly family?: GeometryFamily | undefined
}

const readers: Readonly<Record<StyleLanguage, (text: string, options: ReadOptions) => Reading>> = {
  mapserver: (text, { file, family = 'POLYGON' }) => {
    const { style, issues } = readMapserverXml(text, file)
    return { style: style && styleOfMapserver(style, family), issues }
  },
  qml: (text, { file, fields = [] }) => readDesktopStyle(text, { file, fields }),
}

/** Reads a style; undefined if it cannot be used. */
export function findStyle(language: StyleLanguage, text: string, family?: GeometryFamily): Style | undefined {
  return readers[language](text, { file: language, family }).style
}

function findMissing(
  text: string,
  {
    file,
    fields,
    style,
  }: { readonly file: string; readonly fields: readonly string[]; readonly style: Style },
): Issue[] {
  const known = new Set(fields)
  const read = fieldsReadBy(style)
  if (read.every((name) => known.has(name))) return []
  const { root } = isMapboxStyle(text)
    ? readJson(text.replace(/^\uFEFF/, ''), file, maxQmlLength)
    : readXml(text.replace(/^\uFEFF/, ''), file, { maxLength: maxQmlLength, allowDoctype: true })
  return root === undefined ? [] : checkMissingFields(root, { read, known: fields })
}
