/** Where the numbered SQL files are that lay down the server's tables. */
export const migrationsFolder = new URL('./migrations/', import.meta.url)
