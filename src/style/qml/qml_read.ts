import { compareIssues, type Issue } from '../../core/issue.ts'
import { countElements, findExcess } from '../rule_count.ts'
import { type BlendMode, blendModes, type Style } from '../style_model.ts'
import type { XmlElement } from '../xml/xml_read.ts'
import {
  attributeOf,
  childNamed,
  childrenNamed,
  findFinite,
  numberAttribute,
  type QmlReading,
  reportPart,
} from './qml_element.ts'
import { fieldWidgets } from './qml_field_widget.ts'
import { readLabeling } from './qml_labels.ts'
import { parseQml } from './qml_parse.ts'
import { readRenderer } from './qml_renderer.ts'

/** Result of reading a QML file: the style, unless the file is not QML, and the parts that are not drawn as in QGIS. */
export interface QmlStyleResult {
  readonly style?: Style
  readonly issues: readonly Issue[]
}

/** Options of `readQml`. */
export interface QmlReadOptions {
  /** File name in issue positions. */
  readonly file?: string
  /** Names of the fields of the layer: a name takes precedence over an expression with the same text, such as `a-b`. */
  readonly fields?: readonly string[]
}

/**
 * Reads the style of a vector layer from a QML file: symbols, renderer, blending, opacity, scale limits and labels. What
 * is not drawn as QGIS draws it, is a warning with its position.
 *
 * @see https://docs.qgis.org/3.28/en/docs/user_manual/appendices/qgis_file_formats.html
 */
export function readQml(text: string, { file = 'qml', fields = [] }: QmlReadOptions = {}): QmlStyleResult {
  const { root, issues: faults } = parseQml(text, file)
  if (root === undefined) return { issues: faults }
  const count = countElements(root, ({ name }) => ruleElements.has(name))
  const excess = findExcess({ count, name: 'rules', span: root.span })
  if (excess !== undefined) return { issues: [excess] }
  const reading: QmlReading = { issues: [], fields: new Set(fields), findWidget: fieldWidgets(root) }
  const renderer = childNamed(root, 'renderer-v2')
  if (renderer === undefined) reportPart(reading, root, 'the file has no renderer; nothing is drawn')
  const drawing =
    renderer === undefined
      ? ({ rules: [], matching: 'first', levels: 'none', order: [] } as const)
      : readRenderer(reading, renderer)
  const style: Style = {
    ...drawing,
    opacity: opacityOf(root),
    blending: blendingOf(reading, root, 'blendMode'),
    featureBlending: blendingOf(reading, root, 'featureBlendMode'),
    ...scaleLimits(root),
    labels: attributeOf(root, 'labelsEnabled') === '0' ? [] : readLabeling(reading, root),
  }
  reportDiagrams(reading, root)
  return { style, issues: reading.issues.toSorted(compareIssues) }
}

const ruleElements = new Set(['rule', 'category', 'range'])

/** Opacity, or transparency in percent of version 2. */
function opacityOf(root: XmlElement): number {
  const transparency = findFinite(childNamed(root, 'layerTransparency')?.text)
  const byDefault = transparency === undefined ? 1 : 1 - transparency / 100
  const opacity = findFinite(childNamed(root, 'layerOpacity')?.text) ?? byDefault
  return Math.min(1, Math.max(0, opacity))
}

function blendingOf(reading: QmlReading, root: XmlElement, name: string): BlendMode {
  const element = childNamed(root, name)
  if (element === undefined || element.text === '') return 'normal'
  const mode = blendModes[Number(element.text)]
  if (mode === undefined) reportPart(reading, element, `blend mode ${element.text} is drawn as normal`)
  return mode ?? 'normal'
}

/**
 * QGIS 3 names scales by size, not by denominator: its minimum scale has the larger denominator. QGIS 2 did not.
 */
function scaleLimits(root: XmlElement): Pick<Style, 'minScaleDenom' | 'maxScaleDenom'> {
  if (attributeOf(root, 'hasScaleBasedVisibilityFlag') !== '1') return {}
  const largest = numberAttribute(root, 'minScale') ?? numberAttribute(root, 'maximumScale')
  const smallest = numberAttribute(root, 'maxScale') ?? numberAttribute(root, 'minimumScale')
  return {
    ...(smallest ? { minScaleDenom: smallest } : {}),
    ...(largest ? { maxScaleDenom: largest } : {}),
  }
}

const diagramRenderers = [
  'SingleCategoryDiagramRenderer',
  'LinearlyInterpolatedDiagramRenderer',
  'StackedDiagramRenderer',
]

function reportDiagrams(reading: QmlReading, root: XmlElement): void {
  for (const element of diagramRenderers.flatMap((name) => childrenNamed(root, name))) {
    const isEnabled = childrenNamed(element, 'DiagramCategory').some(
      (one) => attributeOf(one, 'enabled') !== '0',
    )
    if (isEnabled) reportPart(reading, element, 'diagrams are not drawn')
  }
}
