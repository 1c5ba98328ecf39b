import { faultAt, listNodes, type Source } from './source.ts'

/** Finds laws that the soak does not run, or that are not repeatable. */
export function checkLaws(source: Source): string[] {
  const law = listNodes(source).find(
    (node) =>
      node.type === 'CallExpression' && source.text.slice(node.callee.start, node.callee.end) === 'fc.assert',
  )
  if (law === undefined) return []
  const faults = [
    ...(source.path.endsWith('.law.test.ts') ? [] : ['has a law: name the file *.law.test.ts']),
    ...(/\bseed\b/.test(source.text) ? [] : ['has a law without a seed']),
    ...(source.text.includes('LANDFORM_SOAK') ? [] : ['has a law without more cases for LANDFORM_SOAK']),
  ]
  return faults.map((fault) => faultAt(source, law.start, fault))
}
