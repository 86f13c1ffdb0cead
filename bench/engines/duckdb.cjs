// Answers SQL: each line of standard input is a JSON string, and its answer a line of JSON: {rows} or {error}.
const { DuckDBInstance } = require('@duckdb/node-api')
const { createInterface } = require('node:readline')

async function main() {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  for await (const line of createInterface({ input: process.stdin })) {
    let answer
    try {
      answer = { rows: (await connection.runAndReadAll(JSON.parse(line))).getRowsJson() }
    } catch (e) {
      answer = { error: e.message }
    }
    process.stdout.write(JSON.stringify(answer) + '\n')
  }
}

main()
