import type { GeometryFamily } from '../contract/geometry.ts'
import { compareIssues, type Issue } from '../core/issue.ts'
import { drawsNothingOf, geometryNames } from './drawn_geometries.ts'
import { readJson } from './json_read.ts'
import { isMapboxStyle } from './mapbox/mapbox_read.ts'
import { readMapserverXml } from './mapserver/mapserver_read.ts'
import { styleOfMapserver } from './mapserver/mapserver_style.ts'
import { checkMissingFields, fieldsReadBy } from './missing_fields.ts'
import { readDesktopStyle } from './qml/desktop_style.ts'
import { maxQmlLength } from './qml/qml_parse.ts'
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
  /** Geometries of the layer; undefined if they are not known. */
  readonly family?: GeometryFamily | undefined
}

/** What to do about parts of styles that are not drawn, by the start or a part of the message. */
const advice: readonly (readonly [pattern: RegExp, hint: string])[] = [
  [/^layer ".*: icon-image /, 'use a circle, or a QML file with SVG markers'],
  [/^layer ".*it belongs to /, 'write one style for each layer'],
  [
    /^layer ".*(the expression|is supported for|are supported|is not supported)/,
    'use the expressions of docs/styles.md',
  ],
  [/^layer ".*(is|are) not drawn$/, 'remove it if it is not needed'],
  [/^represent_value\(\): /, 'give the field a value map, or a lookup table with these labels'],
  [/does not limit the (rule|layer)$/, 'write a number'],
  [/^lengths in the unit /, 'use pixels, metres or feet'],
  [/^the anchor /, 'use 0, 0.5 or 1'],
  [/^the colour is not drawn: /, 'write a colour such as #3366cc'],
  [/^labels of displaced points/, 'use the labels of the layer'],
  [/of FontMarker is drawn as/, 'use letters, or an SVG marker'],
  [/^renderer /, 'use single symbol, categories, graduated ranges, rules or a heatmap'],
  [/is not a finite number|is too large to be drawn$/, 'write a number of usual size'],
  [/^symbol layer GeometryGenerator /, 'store the generated geometry in a layer of its own'],
  [/^symbol layer /, 'use simple fills, lines and markers, SVG markers, or patterns of lines or points'],
  [/^an SVG marker whose image is not embedded/, 'embed the image in the file'],
  [/^an SVG marker is drawn without /, 'embed the image in the SVG image'],
  [/^an SVG marker is not drawn: .*limit is/, 'simplify the image'],
  [/^an SVG marker is not drawn: /, 'save the image as plain SVG'],
  [/^scripts of an SVG marker /, 'remove them from the image'],
  [/^draw effects /, 'turn the effects off'],
  [/^diagrams /, 'turn the diagrams off'],
  [/^labels of type /, 'use simple labels, or labels by rules'],
  [/labels.*ELSE|ELSE.*labels/, 'write the opposite of the other filters'],
  [/function .* is not supported/, 'use a function of the list in docs/styles.md'],
  [/character \d+ of the expression/, 'use the expressions of docs/styles.md'],
  [/^reference scale /, 'turn the reference scale off'],
  [/transformation is not supported/, 'write an expression'],
  [/is not supported in filters/, 'use comparisons, And, Or and Not'],
  [/^<ExternalGraphic> /, 'use a <Mark>'],
  [/^<\w+> of <\w+> is not drawn/, 'remove it if it is not needed'],
  [/^unknown mark /, 'use square, circle, triangle, star, cross or x'],
  [/^(an expression|<\w+>.*) is not supported/, 'use a constant or a field'],
  [/^data-defined property /, 'use a fixed value, or rules'],
  [/percentages|meters at scale/, 'use millimetres, points, pixels or map units'],
  [/^blend mode /, 'use another blend mode'],
  [/^the file has no renderer/, 'save the file with its symbology'],
  [/^markers at placement /, 'use another placement'],
  [/^(shadows|backgrounds|masks|underlines|strikeouts|direction symbols) of labels /, 'turn them off'],
  [/^callouts of type /, 'use simple lines or Manhattan lines'],
  [/^callouts: |of callouts /, 'use a simple line without further settings'],
  [/^unknown symbol /, 'use a symbol of the list in docs/styles.md, or define it as <symbol>'],
  [/^only the first <layer>/, 'write one style for each layer'],
  [/^<layer> has no <class>/, 'add a <class> with a <style>'],
  [/^<label> is not drawn/, 'add <labelitem> to the layer'],
  [/^(unknown element|unknown attribute|ignored text|option )/, 'remove it if it is not needed'],
]

/**
 * Lists everything in a style that is not drawn as it says: errors, for which the style cannot be used, and warnings, with
 * position and advice. If the fields of the layer are known, fields that it does not have are reported too; if its geometries are
 * known, a style of symbols for others.
 */
export function checkStyleText(
  language: StyleLanguage,
  text: string,
  options: StyleCheckOptions = {},
): readonly Issue[] {
  const { file = language === 'qml' ? 'qml' : 'xml', fields, family } = options
  const { style, issues } = readers[language](text, { file, fields })
  const missing =
    style === undefined || fields === undefined ? [] : findMissing(text, { file, fields, style })
  // MapServer XML becomes symbols for the geometries of the layer.
  const isFit = language === 'mapserver' || style === undefined || family === undefined
  const unfit = isFit ? [] : findUnfit(style, family, file)
  return [...issues, ...missing, ...unfit].map(withAdvice).toSorted(compareIssues)
}

function findUnfit(style: Style, family: GeometryFamily, file: string): Issue[] {
  if (!drawsNothingOf(style, family)) return []
  const message = `nothing is drawn: the layer has ${geometryNames[family]}, and the symbols of the style are for other geometries`
  const hint = `use symbols for ${geometryNames[family]}`
  const span = { file, line: 1, column: 1, endLine: 1, endColumn: 1 }
  return [{ code: 'style/unknown', severity: 'warning', message, hint, span }]
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

/** Adds to the warnings of a style what to do about them. */
function withAdvice(issue: Issue): Issue {
  if (issue.hint !== undefined || issue.severity !== 'warning') return issue
  const [, hint] = advice.find(([pattern]) => pattern.test(issue.message)) ?? []
  return hint === undefined ? issue : { ...issue, hint }
}
