import { isMapboxStyle, readMapboxStyle } from '../mapbox/mapbox_read.ts'
import { isSld, readSld } from '../sld/sld_read.ts'
import { type QmlReadOptions, type QmlStyleResult, readQml } from './qml_read.ts'

/** Reads a style file: a style of Mapbox GL if it is JSON, a Styled Layer Descriptor if its root element says so, else QML. */
export function readDesktopStyle(text: string, options: QmlReadOptions = {}): QmlStyleResult {
  if (isMapboxStyle(text)) return readMapboxStyle(text, options.file)
  return isSld(text) ? readSld(text, options.file) : readQml(text, options)
}
