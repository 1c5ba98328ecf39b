import { isObject } from '../core/is_object.ts'
import { OwsFault } from './ows_fault.ts'
import { readXmlNode, trimmedText, type XmlNode } from './xml_tree.ts'

/** A feature that a web map service has found. */
export interface FoundFeature {
  readonly label: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** A response to GetFeatureInfo. */
export interface FeatureInfo {
  readonly contentType: string
  readonly text: string
}

/**
 * Parses a response to GetFeatureInfo by its content: GeoJSON, GML in the forms of MapServer, GeoServer and QGIS, or text, which
 * becomes one feature with the field `text`. Undefined for HTML and other content.
 */
export function parseFeatureInfo({ contentType, text }: FeatureInfo): FoundFeature[] | undefined {
  const content = text.trim()
  if (content.startsWith('{')) return parseJson(content)
  if (/html/i.test(contentType) || /^<(!doctype )?html/i.test(content)) return undefined
  if (content.startsWith('<')) return parseGml(content)
  if (!/^text\/plain/i.test(contentType)) return content === '' ? [] : undefined
  return hasFeature(content) ? [{ label: firstLine(content), fields: { text: content } }] : []
}

function parseJson(content: string): FoundFeature[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return undefined
  }
  if (!isObject(value) || !Array.isArray(value.features)) return undefined
  return value.features.flatMap((feature: unknown) => {
    if (!isObject(feature)) return []
    const fields = isObject(feature.properties) ? feature.properties : {}
    return [{ label: labelOf(fields, feature.id), fields }]
  })
}

function parseGml(content: string): FoundFeature[] | undefined {
  try {
    const root = readXmlNode(content)
    return listFeatures(root).map((node) => {
      const fields = Object.fromEntries(fieldsOf(node))
      return { label: labelOf(fields, node.attributes.get('fid') ?? node.attributes.get('id')), fields }
    })
  } catch (error) {
    if (error instanceof OwsFault) return undefined
    throw error
  }
}

/** Elements that hold features in GML 2 and 3. @see OGC 02-069 clause 4.5, OGC 03-105r1 clause 8.1 */
const memberNames = new Set(['featureMember', 'featureMembers', 'member'])

/** Lists the features below an element: members of collections, those of MapServer's own form and those of QGIS. */
function listFeatures(node: XmlNode): XmlNode[] {
  return node.children.flatMap((child) => {
    if (memberNames.has(node.name) || child.name.endsWith('_feature') || child.name === 'Feature')
      return [child]
    return listFeatures(child)
  })
}

function fieldsOf({ children }: XmlNode): [name: string, value: string][] {
  return children.flatMap((child) => {
    // QGIS writes <Attribute name="…" value="…"/>.
    const [name, value] = [child.attributes.get('name'), child.attributes.get('value')]
    if (child.name === 'Attribute' && name !== undefined) return [[name, value ?? '']]
    return child.children.length === 0 ? [[child.name, trimmedText(child)]] : []
  })
}

const labelNames = ['name', 'label', 'title']

function labelOf(fields: Readonly<Record<string, unknown>>, id: unknown): string {
  const named = Object.entries(fields).find(
    ([name, value]) => labelNames.includes(name.toLowerCase()) && isShown(value),
  )
  const first = named ?? Object.entries(fields).find(([, value]) => isShown(value))
  return String(first?.[1] ?? id ?? '')
}

const isShown = (value: unknown) => ['string', 'number'].includes(typeof value) && value !== ''

/** MapServer and GeoServer report that nothing was found in these words. */
const hasFeature = (content: string) =>
  content !== '' && !/no features were found|search returned no results/i.test(content)

const firstLine = (content: string) => (content.split('\n', 1)[0] ?? '').trim()
