import { maxStyleRules } from '../contract/limits.ts'
import type { Issue } from '../core/issue.ts'
import type { Span } from '../core/span.ts'
import type { XmlElement } from './xml/xml_read.ts'

/** Parts of a style that become rules, as they are called in its language. */
export interface RuleCount {
  readonly count: number
  readonly name: 'layers' | 'classes' | 'rules'
  /** Where the style has them. */
  readonly span: Span
}

/** Returns the error of a style with too many rules: each is compared with every feature. */
export function findExcess({ count, name, span }: RuleCount): Issue | undefined {
  if (count <= maxStyleRules) return undefined
  const message = `the style has ${count} ${name}; the maximum is ${maxStyleRules}`
  const hint =
    name === 'layers'
      ? 'write one layer for several values, with the expression "match"'
      : `write fewer ${name}, each for several values, or for ranges of them`
  return { code: 'style/bad-value', message, hint, severity: 'error', span }
}

/** Counts the elements below an element that fit. */
export function countElements(root: XmlElement, fits: (element: XmlElement) => boolean): number {
  return root.children.reduce((sum, child) => sum + countElements(child, fits), fits(root) ? 1 : 0)
}
