import type { Command } from '../terminal/command.js';
import { describeForms, httpSpecs, profileSpecs } from '../target/read-target.js';
import { authSpecs } from './read-auth.js';

export const proxyHelp: Omit<Command, 'run'> = {
  summary: 'Serve another MCP server in a different form',
  about: `Serve another MCP server in a different form, or several servers as one.

Usage:
  toolfold proxy [options] -- <command> [arguments]
  toolfold proxy [options] <url>
  toolfold proxy [options] --config <file>`,
  specs: {
    config: {
      value: 'file',
      help: 'Serve all servers of a configuration file of MCP clients, each as a toolset with its name as prefix',
    },
    ...httpSpecs,
    ...describeForms('Form in which the tools are offered. Default: grouped'),
    ...profileSpecs,
    toolsets: {
      value: 'a,b',
      isRepeatable: true,
      help: 'Only tools whose names start with one of these words; with --config, only these servers',
    },
    tools: {
      value: 'a,b',
      isRepeatable: true,
      help: 'Only these tools, by their names on the server; with --config, as server/tool',
    },
    'exclude-tools': { value: 'a,b', isRepeatable: true, help: 'Leave these tools out' },
    readonly: { help: 'Only tools that are marked read-only' },
    pinned: {
      value: 'a,b',
      isRepeatable: true,
      help: 'With --form search or code: tools that are always listed',
    },
    'search-file': {
      value: 'file',
      help: 'With --form search or code: keywords by the names of tools on the server, as toolfold search draft writes them',
    },
    overrides: {
      value: 'file',
      help: 'Rename, hide, describe or limit tools, and set arguments: { "version": 1, "tools": { … } }',
    },
    lock: { value: 'file', help: 'Offer only tools that equal the reviewed ones, which toolfold lock wrote' },
    changed: {
      value: 'quarantine|reject',
      help: 'With --lock: leave out the tools that differ, or their whole server. Default: quarantine',
    },
    prefix: { value: 'name', help: 'Prefix of the tool names; in the grouped form, the name of the tool' },
    header: { value: 'name:value', isRepeatable: true, help: 'HTTP header for every request to the server' },
    host: {
      value: 'address',
      help: 'With --http: address to listen on, such as 0.0.0.0 in a container. Needs authentication, or --insecure',
    },
    'public-url': { value: 'url', help: 'With --http: address of the endpoint as clients see it' },
    'allowed-hosts': {
      value: 'a,b',
      isRepeatable: true,
      help: 'With --http: further host names that requests may name. Default: localhost and that of --public-url',
    },
    ...authSpecs,
    insecure: { help: 'With --host: let everybody call who can reach the address' },
    'rate-limit': {
      value: 'calls',
      help: 'Calls of one tool that one caller may make in a minute. Default: 3000',
    },
    otel: {
      help: 'Record calls with the global OpenTelemetry providers. Needs @opentelemetry/api',
    },
    json: { help: 'With --http: print the address, or the error, and all messages as lines of JSON' },
  },
  examples: [
    'toolfold proxy -- npx -y @modelcontextprotocol/server-everything',
    'toolfold proxy --form search --readonly -- npx -y @modelcontextprotocol/server-filesystem .',
    'toolfold proxy --form search --search-file search.json -- npx -y some-server',
    'toolfold proxy --form code --code-allow write -- npx -y @modelcontextprotocol/server-everything',
    'toolfold proxy --form flat --profile gemini -- npx -y @modelcontextprotocol/server-everything',
    'toolfold proxy --http 8080 --header "Authorization: Bearer $TOKEN" https://example.com/mcp',
    'toolfold proxy --config mcp.json --form search --http --auth-keys keys.json',
    'toolfold proxy --config mcp.json --lock toolfold.lock.json --overrides overrides.json',
  ],
  exits: {
    0: 'the proxy was stopped',
    1: 'the server cannot be reached, or nothing can be served',
    130: 'Ctrl-C before the proxy serves',
  },
};
