/** Options of a QML file in a test. */
export interface QmlParts {
  /** Attributes of the root element. */
  readonly attributes?: string
  /** Elements after the renderer. */
  readonly rest?: string
}

/** Writes a QML file with a renderer, which starts in line 2. */
export function qml(renderer: string, inner: string, { attributes = '', rest = '' }: QmlParts = {}): string {
  return `<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>
<qgis ${attributes}><renderer-v2 ${renderer}>
${inner}</renderer-v2>${rest}</qgis>`
}

/** Writes a symbol layer with options in the form of QGIS 3.18 and later. */
export function symbolLayer(cls: string, options: Readonly<Record<string, string>>, inner = ''): string {
  const list = Object.entries(options).map(
    ([name, value]) => `<Option name="${name}" type="QString" value="${value}"/>`,
  )
  return `<layer class="${cls}" enabled="1" pass="0" locked="0"><Option type="Map">${list.join('')}</Option>${inner}</layer>`
}

/** Writes a symbol. */
export function namedSymbol(name: string, type: string, layers: string): string {
  return `<symbol name="${name}" type="${type}" alpha="1" clip_to_extent="1" force_rhr="0">${layers}</symbol>`
}

/** Writes a fill symbol of one colour. */
export function coloredSymbol(name: string, color: string): string {
  return namedSymbol(name, 'fill', symbolLayer('SimpleFill', { color, outline_style: 'no' }))
}

/** Writes the symbols of a renderer. */
export function symbols(...list: readonly string[]): string {
  return `<symbols>${list.join('')}</symbols>`
}

/** Writes a QML file of a single symbol with one layer. */
export function single(type: string, layers: string): string {
  return qml('type="singleSymbol"', symbols(namedSymbol('0', type, layers)))
}

/** Writes data-defined properties as expressions. */
export function dataDefined(expressions: Readonly<Record<string, string>>): string {
  const properties = Object.entries(expressions).map(
    ([name, text]) => `<Option name="${name}" type="Map"><Option name="active" type="bool" value="true"/>
      <Option name="expression" type="QString" value="${text.replaceAll('"', '&quot;')}"/>
      <Option name="type" type="int" value="3"/></Option>`,
  )
  return `<data_defined_properties><Option type="Map"><Option name="name" type="QString" value=""/>
    <Option name="properties" type="Map">${properties.join('')}</Option>
    <Option name="type" type="QString" value="collection"/></Option></data_defined_properties>`
}
