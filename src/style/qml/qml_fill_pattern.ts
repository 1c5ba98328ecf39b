import type { CentroidFill, LinePattern, MapSymbol, PointPattern } from '../symbol_layer.ts'
import { reportPart } from './qml_element.ts'
import {
  colorOption,
  lengthOption,
  numberOption,
  type QmlOptions,
  reportIgnored,
  textOption,
} from './qml_options.ts'
import { definedOf, passOf } from './qml_symbol_layer.ts'

/** Reads a line pattern. Older versions have no line symbol but a colour and width. */
export function readLinePattern(options: QmlOptions, line: MapSymbol | undefined): LinePattern {
  for (const { kind } of line?.layers ?? [])
    if (kind !== 'line')
      reportPart(options.reading, options.layer, 'a line pattern is drawn without the markers on its lines')
  return {
    kind: 'line_pattern',
    ...passOf(options),
    line: line ?? plainLine(options),
    angle: numberOption(options, 'angle', numberOption(options, 'lineangle', 45)),
    distance: lengthOption(options, { name: 'distance', byDefault: 5 }),
    offset: lengthOption(options, { name: 'offset', byDefault: 0 }),
    ...definedOf(options, { properties: { enabled: 'isDrawn', lineAngle: 'angle' } }),
  }
}

function plainLine(options: QmlOptions): MapSymbol {
  const stroke = {
    color: colorOption(options, ['color'], '#000000'),
    width: lengthOption(options, { name: 'line_width', older: ['linewidth'], byDefault: 0.5 }),
    dash: [],
    isDashRelative: false,
    dashOffset: 0,
    join: 'bevel',
    cap: 'square',
  } as const
  return { type: 'line', opacity: 1, layers: [{ kind: 'line', pass: 0, stroke, offset: 0, rings: 'all' }] }
}

const clippings = {
  shape: 'clip',
  centroid_within: 'centroid_within',
  completely_within: 'completely_within',
  no_clipping: 'none',
} as const

/** Reads a point pattern; undefined without a marker. */
export function readPointPattern(
  options: QmlOptions,
  marker: MapSymbol | undefined,
): PointPattern | undefined {
  if (marker === undefined) return undefined
  reportIgnored(options, { random_deviation_x: ['0'], random_deviation_y: ['0'] })
  const length = (name: string, byDefault = 0) => lengthOption(options, { name, byDefault })
  const mode = textOption(options, 'clip_mode')
  reportIgnored(options, { clip_mode: ['shape'] })
  return {
    kind: 'point_pattern',
    ...passOf(options),
    marker,
    distance: [length('distance_x', 15), length('distance_y', 15)],
    displacement: [length('displacement_x'), length('displacement_y')],
    offset: [length('offset_x'), length('offset_y')],
    angle: numberOption(options, 'angle', 0),
    clipping:
      mode !== undefined && Object.hasOwn(clippings, mode)
        ? clippings[mode as keyof typeof clippings]
        : 'clip',
    ...definedOf(options, { properties: { enabled: 'isDrawn', angle: 'angle' } }),
  }
}

/** Reads a centroid fill; undefined without a marker. */
export function readCentroidFill(
  options: QmlOptions,
  marker: MapSymbol | undefined,
): CentroidFill | undefined {
  if (marker === undefined) return undefined
  reportIgnored(options, { clip_points: ['0'], clip_on_current_part_only: ['0'] })
  return {
    kind: 'centroid',
    ...passOf(options),
    marker,
    isOnSurface: textOption(options, 'point_on_surface') === '1',
    isOnAllParts: textOption(options, 'point_on_all_parts') !== '0',
    ...definedOf(options, { properties: { enabled: 'isDrawn' } }),
  }
}
