import { faultAt, listNodes, type Source } from './source.ts'

/** Patterns of calls that let a test pass without its subject, and the reasons. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/^vi\.(?:mock|doMock|stubGlobal|hoisted)$/, 'mocks a part: use the real one'],
  [/^(?:test|it|describe)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|only|fails)$/, 'disables tests'],
  [/^(?:setTimeout|setInterval|sleep|delay)$/, 'waits for a time: wait for the event'],
  [/^vi\.(?:waitFor|waitUntil)$/, 'polls: wait for the event'],
]

/** Finds mocks, sleeps and disabled tests in a test file. */
export function checkHonesty(source: Source): string[] {
  if (!/\.test\.ts$/.test(source.path)) return []
  return listNodes(source).flatMap((node) => {
    if (node.type !== 'CallExpression') return []
    const callee = source.text.slice(node.callee.start, node.callee.end)
    const reason = refused.find(([pattern]) => pattern.test(callee))?.[1]
    return reason === undefined ? [] : [faultAt(source, node.start, `${callee} ${reason}`)]
  })
}
