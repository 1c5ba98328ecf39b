import { faultAt, listNodes, type Source } from './source.ts'

/** The file of `assertLaw`, which asserts laws for others. */
const runner = 'test/support/law_runs.ts'

/** Finds laws that the soak does not run, or that are not repeatable. */
export function checkLaws(source: Source): string[] {
  const law = listNodes(source).find(
    (node) =>
      node.type === 'CallExpression' &&
      ['fc.assert', 'assertLaw'].includes(source.text.slice(node.callee.start, node.callee.end)),
  )
  if (law === undefined || source.path === runner) return []
  const faults = [
    ...(source.path.endsWith('.law.test.ts') ? [] : ['has a law: name the file *.law.test.ts']),
    ...(/\bseed\b/.test(source.text) ? [] : ['has a law without a seed']),
    ...(/LANDFORM_SOAK|\b(casesOn|isSoak)\b/.test(source.text)
      ? []
      : ['has a law without more cases for LANDFORM_SOAK']),
  ]
  return faults.map((fault) => faultAt(source, law.start, fault))
}
