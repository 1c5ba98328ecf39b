import { faultAt, listNodes, type Node, type Source } from './source.ts'

/** Meaningless words in names of files and declarations. */
const emptyWords = ['util', 'utils', 'helper', 'helpers', 'common', 'misc']

/** Meaningless verbs in names of functions. */
const emptyVerbs = ['handle', 'process', 'manage']

/** Finds meaningless words in a path. */
export function checkPath(path: string): string[] {
  const matches = path
    .split('/')
    .flatMap(wordsOf)
    .filter((word) => [...emptyWords, ...emptyVerbs].includes(word))
  return matches.map((word) => `${path}:1 has "${word}" in its path: use a specific name`)
}

/** Finds meaningless words in declared names, and meaningless verbs in names of functions. */
export function checkNames(source: Source): string[] {
  return listNodes(source).flatMap((node) =>
    listDeclared(node).flatMap(({ name, offset, isFunction }) => {
      const words = wordsOf(name)
      const word = words.find((each) => emptyWords.includes(each))
      if (word !== undefined) return [faultAt(source, offset, `declares ${name}: "${word}" is meaningless`)]
      const [verb] = words
      if (!isFunction || verb === undefined || !emptyVerbs.includes(verb)) return []
      return [faultAt(source, offset, `declares ${name}: "${verb}" is meaningless`)]
    }),
  )
}

interface Declared {
  readonly name: string
  readonly offset: number
  readonly isFunction: boolean
}

function listDeclared(node: Node): Declared[] {
  switch (node.type) {
    case 'FunctionDeclaration':
      return declare(node.id, true)
    case 'VariableDeclarator':
      return declare(node.id, isFunction(node.init))
    case 'MethodDefinition':
      // The base class names what overrides it.
      return node.override ? [] : declare(node.key, true)
    case 'Property':
      return isFunction(node.value) ? declare(node.key, true) : []
    case 'ClassDeclaration':
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
      return declare(node.id, false)
    default:
      return []
  }
}

function declare(name: Node | null, isFunctionName: boolean): Declared[] {
  return name?.type === 'Identifier'
    ? [{ name: name.name, offset: name.start, isFunction: isFunctionName }]
    : []
}

function isFunction(node: Node | null): boolean {
  return node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression'
}

/** Splits a name into words: `parseMapFile`, `parse_map_file` and `parse-map-file` into `parse`, `map`, `file`. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}
