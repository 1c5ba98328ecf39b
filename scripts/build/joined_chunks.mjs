import { relative, resolve } from 'node:path'
import { build } from 'esbuild'

/**
 * Puts all that the given modules load, each in turn, into a chunk of its own. esbuild makes a chunk for each set of dynamic imports
 * that reach the same modules; so every dynamic import that reaches one module of a chunk imports all of them.
 *
 * @returns a plugin, which must come first
 */
export async function joinChunks(options, modules) {
  const { inputs } = (await build({ ...options, write: false, metafile: true })).metafile
  const chunks = []
  for (const module of modules) {
    const earlier = new Set(chunks.flatMap((chunk) => [...chunk]))
    chunks.push(reach(inputs, module).difference(earlier))
  }
  const root = options.absWorkingDir
  const importsOf = (path) => {
    const reached = reach(inputs, relative(root, path))
    return chunks.flatMap((chunk, at) => (reached.isDisjointFrom(chunk) ? [] : modules[at]))
  }
  return {
    name: 'joined-chunks',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) =>
        kind === 'dynamic-import' ? { path: resolve(resolveDir, path), namespace: 'with-chunks' } : undefined,
      )
      onLoad({ filter: /.*/, namespace: 'with-chunks' }, ({ path }) => {
        const imports = importsOf(path).map((module) => `import ${JSON.stringify(resolve(root, module))}`)
        return {
          contents: [...imports, `export * from ${JSON.stringify(path)}`].join('\n'),
          resolveDir: root,
        }
      })
    },
  }
}

/** Lists a module and all that it imports, but not what it imports dynamically. */
function reach(inputs, module, found = new Set()) {
  if (found.has(module)) return found
  found.add(module)
  for (const { path, kind, external } of inputs[module]?.imports ?? [])
    if (kind !== 'dynamic-import' && !external) reach(inputs, path, found)
  return found
}
