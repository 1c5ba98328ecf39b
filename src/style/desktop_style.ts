import { type QmlReadOptions, type QmlStyleResult, readQml } from './qml_read.ts'
import { isSld, readSld } from './sld_read.ts'

/** Reads a style file of a desktop GIS: a Styled Layer Descriptor if its root element says so, else QML. */
export function readDesktopStyle(text: string, options: QmlReadOptions = {}): QmlStyleResult {
  return isSld(text) ? readSld(text, options.file) : readQml(text, options)
}
