/** The showcase without its books, for commands that only list tools. */
import { createFinance } from '../../examples/showcase/finance.js';
import { createServer } from '../../examples/showcase/server.js';

export default createServer(createFinance(undefined as never));
