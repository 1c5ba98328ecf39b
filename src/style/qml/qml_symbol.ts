import { withOrigin } from '../style_origin.ts'
import { withSymbolColor } from '../symbol_color.ts'
import type { MapSymbol, SymbolLayer } from '../symbol_layer.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import { readDataDefined } from './qml_data_defined.ts'
import {
  attributeOf,
  childrenNamed,
  entryOf,
  numberAttribute,
  type QmlReading,
  reportPart,
} from './qml_element.ts'
import { readCentroidFill, readLinePattern, readPointPattern } from './qml_fill_pattern.ts'
import { readFontMarker } from './qml_font_marker.ts'
import { readOptions } from './qml_options.ts'
import {
  readMarkerLine,
  readSimpleFill,
  readSimpleLine,
  readSimpleMarker,
  readSvgMarker,
} from './qml_symbol_layer.ts'

/** Reads a symbol with its enabled layers; reports layers that are not drawn. */
export function readQmlSymbol(file: QmlReading, symbol: XmlElement): MapSymbol {
  const reading: QmlReading = { ...file, variables: [...(file.variables ?? []), 'symbol_color'] }
  const type = attributeOf(symbol, 'type')
  const layers = childrenNamed(symbol, 'layer').filter((layer) => attributeOf(layer, 'enabled') !== '0')
  const read = withSymbolColor({
    type: type === 'line' || type === 'fill' ? type : 'marker',
    opacity: Math.min(1, Math.max(0, numberAttribute(symbol, 'alpha') ?? 1)),
    layers: layers.flatMap((layer) => readLayer(reading, layer)),
    ...readDataDefined(reading, symbol, { properties: { alpha: 'opacity' }, owner: 'the symbol' }),
  })
  return withOrigin(read, symbol.span)
}

type ReadLayer = (
  options: ReturnType<typeof readOptions>,
  inner: MapSymbol | undefined,
) => SymbolLayer | undefined

const readers: Readonly<Record<string, ReadLayer>> = {
  SimpleFill: readSimpleFill,
  SimpleLine: readSimpleLine,
  SimpleMarker: readSimpleMarker,
  SvgMarker: readSvgMarker,
  FontMarker: readFontMarker,
  MarkerLine: readMarkerLine,
  LinePatternFill: readLinePattern,
  PointPatternFill: readPointPattern,
  CentroidFill: readCentroidFill,
}

function readLayer(reading: QmlReading, layer: XmlElement): SymbolLayer[] {
  const cls = attributeOf(layer, 'class') ?? ''
  const read = entryOf(readers, cls)
  if (read === undefined) {
    reportPart(reading, layer, `symbol layer ${cls} is not drawn`)
    return []
  }
  for (const effect of childrenNamed(layer, 'effect'))
    if (attributeOf(effect, 'enabled') === '1')
      reportPart(reading, effect, `draw effects of ${cls} are not drawn`)
  const [inner] = childrenNamed(layer, 'symbol')
  const drawn = [read(readOptions(reading, layer), inner && readQmlSymbol(reading, inner)) ?? []].flat()
  return drawn.map((one) => withOrigin(one, layer.span))
}
