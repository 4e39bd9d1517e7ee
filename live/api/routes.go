package api

import (
	"net/http"

	"github.com/libra-market/libra/client/v1"
	"github.com/libra-market/libra/core/task"
)

// route is one thing that can be asked. The table below is the whole API: the
// mux, the roles, the metrics, the tests of access and the description
// (openapi.json) are made from it.
type route struct {
	method  string
	pattern string
	roles   roles
	handle  func(*call) error

	does   string  // in a few words
	params []param // of the query
	body   any     // a value of the type that is sent; nil: nothing
	status int     // of success
	answer any     // a value of the type that comes back; nil: nothing; a media: not JSON
	limit  int64   // of the body; 0: maxBody
	quiet  bool    // called all the time: not worth a line in the log
	looks  bool    // changes nothing, though it is no GET
	waits  bool    // mostly for a node
	polls  bool    // as long as there is no news
}

// param is a parameter of a query.
type param struct {
	name string
	kind string // string, integer, boolean
	does string
}

// media is the type of an answer that is not JSON.
type media string

const metricsPath = "/metrics"

// Parameters that several routes know.
var (
	pageParams = []param{
		{"after", "integer", "only what has a larger number; next of the page before"},
		{"limit", "integer", "how many, 1 to 500; default 100"},
	}
	waitParams = []param{
		{"after", "integer", "answer when there is a newer version than this; default -1: at once"},
		{"wait_ms", "integer", "and after so long in any case, at most 60000; default 0"},
	}
	periodParams = []param{
		{"month", "string", "a month in UTC, such as 2026-11; default, without from and to: the month under way"},
		{"from", "string", "the first instant: a date, an RFC 3339 time, or unix microseconds"},
		{"to", "string", "the instant after the last; default now"},
	}
)

var routes = []route{
	{
		method: http.MethodPost, pattern: "/v1/quotes", roles: people, handle: askQuote,
		does: "Ask for a quote that binds: room is kept for the job until it expires",
		body: v1.QuoteRequest{}, status: http.StatusCreated, answer: v1.Quote{},
	},
	{
		method: http.MethodPost, pattern: "/v1/previews", roles: people, handle: preview, quiet: true, looks: true,
		does: "Ask for a quote that binds nobody",
		body: v1.PreviewRequest{}, status: http.StatusOK, answer: v1.Quote{},
	},
	{
		method: http.MethodGet, pattern: "/v1/quotes/{id}", roles: people, handle: readQuote,
		does: "Read a quote", status: http.StatusOK, answer: v1.Quote{},
	},
	{
		method: http.MethodDelete, pattern: "/v1/quotes/{id}", roles: people, handle: dropQuote,
		does: "Take a quote back", status: http.StatusNoContent,
	},
	{
		method: http.MethodPost, pattern: "/v1/jobs", roles: people, handle: submit,
		does: "Submit a job. The request of the answer is without the script",
		body: v1.SubmitRequest{}, status: http.StatusCreated, answer: v1.Job{},
	},
	{
		method: http.MethodGet, pattern: "/v1/jobs", roles: people, handle: listJobs,
		does: "List jobs, newest first, their requests without the script",
		params: []param{
			{"state", "string", "states with commas between them; live: all that have not ended; ended: all others"},
			{"owner", "string", "whose; for the owner of the cluster, default all"},
			{"name", "string", "with this in their name"},
			{"account", "string", "paid by this account or one below it"},
			{"batch", "integer", "the one that the batch system which runs it calls by this number, whatever the rest"},
			{"before", "integer", "only smaller numbers; next of the page before"},
			{"limit", "integer", "how many, 1 to 500; default 100"},
			{"counts", "boolean", "1: also count the jobs by state, whatever the filter"},
		},
		status: http.StatusOK, answer: v1.JobPage{},
	},
	{
		method: http.MethodGet, pattern: "/v1/jobs/{id}", roles: people, handle: readJob,
		does: "Read a job", status: http.StatusOK, answer: v1.Job{},
	},
	{
		method: http.MethodPost, pattern: "/v1/jobs/{id}/cancel", roles: people, handle: cancelJob,
		does: "Cancel a job. Asked twice, it is urgent: the job is killed", status: http.StatusOK, answer: v1.Job{},
	},
	{
		method: http.MethodPost, pattern: "/v1/jobs/{id}/release", roles: people, handle: releaseJob,
		does: "Let a job begin that was handed in on hold", status: http.StatusOK, answer: v1.Job{},
	},
	{
		method: http.MethodPost, pattern: "/v1/jobs/{id}/void", roles: owners, handle: voidJob,
		does: "End a job whatever state it is in, without waiting for its nodes: nothing is charged, what was held for it goes back, and its nodes are told to stop it",
		body: v1.VoidRequest{}, status: http.StatusOK, answer: v1.Job{},
	},
	{
		method: http.MethodGet, pattern: "/v1/jobs/{id}/explain", roles: people, handle: explain,
		does: "Say how a job stands and why", status: http.StatusOK, answer: v1.Explanation{},
	},
	{
		method: http.MethodGet, pattern: "/v1/jobs/{id}/receipt", roles: people, handle: receipt,
		does: "Read the bill of a job that has ended", status: http.StatusOK, answer: v1.Receipt{},
	},
	{
		method: http.MethodGet, pattern: "/v1/jobs/{id}/logs", roles: people, handle: output, waits: true,
		does: "Read what a job has written: a piece as JSON, or with follow=1 all of it as text until the job has ended",
		params: []param{
			{"stream", "string", "stdout (default) or stderr"},
			{"rank", "integer", "which task of the job; default 0"},
			{"element", "integer", "which element of an array"},
			{"offset", "integer", "of the first byte; negative: from the end"},
			{"limit", "integer", "bytes, at most 1048576; default 65536"},
			{"follow", "boolean", "1: as text, until the job has ended; the trailer Libra-Error says what went wrong, if something did"},
		},
		status: http.StatusOK, answer: v1.Chunk{},
	},
	{
		method: http.MethodGet, pattern: "/v1/nodes", roles: people, handle: listNodes,
		does: "List the nodes. Whose jobs the others are is for the owner of the cluster", status: http.StatusOK, answer: v1.NodeList{},
	},
	{
		method: http.MethodGet, pattern: "/v1/prices", roles: people, handle: prices,
		does: "Read what the market asks now", status: http.StatusOK, answer: v1.Prices{},
	},
	{
		method: http.MethodGet, pattern: "/v1/epochs", roles: people, handle: listEpochs,
		does: "List the epochs: which policy, settings and rates held when", status: http.StatusOK, answer: v1.EpochList{},
	},
	{
		method: http.MethodPost, pattern: "/v1/epochs", roles: owners, handle: beginEpoch,
		does: "Change the policy, its settings or the rates from now on",
		body: v1.Epoch{}, status: http.StatusCreated, answer: v1.EpochView{},
	},
	{
		method: http.MethodGet, pattern: "/v1/report", roles: owners, handle: tally,
		does: "Read the business of a period", params: periodParams, status: http.StatusOK, answer: v1.Tally{},
	},
	{
		method: http.MethodGet, pattern: "/v1/accounts", roles: people, handle: listAccounts,
		does:   "List one's own account and those below it; all, for the owner of the cluster",
		params: []param{{"prefix", "string", "only this account and those below it"}},
		status: http.StatusOK, answer: v1.AccountList{},
	},
	{
		method: http.MethodGet, pattern: "/v1/accounts/{path...}", roles: people, handle: readAccount,
		does: "Read an account", status: http.StatusOK, answer: v1.Account{},
	},
	{
		method: http.MethodPost, pattern: "/v1/accounts", roles: owners, handle: changeAccount,
		does: "Open or close an account, or set its limit, its credit or its allowance",
		body: v1.AccountChange{}, status: http.StatusOK, answer: v1.Account{},
	},
	{
		method: http.MethodPost, pattern: "/v1/transfers", roles: people, handle: transfer,
		does: "Move money from one's own account or one below it; from any, for the owner of the cluster. The answer is the account it came from",
		body: v1.Transfer{}, status: http.StatusOK, answer: v1.Account{},
	},
	{
		method: http.MethodPost, pattern: "/v1/grants", roles: owners, handle: grant,
		does: "Give money to an account", body: v1.Grant{}, status: http.StatusOK, answer: v1.Account{},
	},
	{
		method: http.MethodGet, pattern: "/v1/statements", roles: people, handle: statement,
		does: "Read what happened on an account: as JSON, as CSV, or as CSV in the FOCUS format",
		params: append([]param{
			{"account", "string", "default one's own"},
			{"subtree", "boolean", "1: with all accounts below it"},
			{"format", "string", "json (default), csv or focus"},
		}, periodParams...),
		status: http.StatusOK, answer: v1.Statement{},
	},
	{
		method: http.MethodGet, pattern: "/v1/ledger/verify", roles: owners, handle: verifyLedger,
		does: "Check the whole ledger", status: http.StatusOK, answer: v1.Verified{},
	},
	{
		method: http.MethodGet, pattern: "/v1/history", roles: owners, handle: history,
		does: "List all jobs in order of submission", params: pageParams, status: http.StatusOK, answer: v1.History{},
	},
	{
		method: http.MethodGet, pattern: "/v1/log", roles: owners, handle: readLog,
		does: "Read the log as it was written", params: pageParams, status: http.StatusOK, answer: v1.LogPage{},
	},
	{
		method: http.MethodGet, pattern: "/v1/archive", roles: owners, handle: listArchives,
		does: "List the files that old parts of the log are in", status: http.StatusOK, answer: v1.Archives{},
	},
	{
		method: http.MethodPost, pattern: "/v1/archive", roles: owners, handle: moveOld,
		does: "Move what is old of the log into a file. A call moves one at most, and says whether there is more; an idempotency key has no effect here",
		body: v1.ArchiveRequest{}, status: http.StatusOK, answer: v1.ArchiveStep{},
	},
	{
		method: http.MethodGet, pattern: "/v1/clusters", roles: owners, handle: listClusters,
		does: "List what a broker has seen of each of its clusters", status: http.StatusOK, answer: v1.ClusterList{},
	},
	{
		method: http.MethodGet, pattern: "/v1/events", roles: people, handle: events, polls: true,
		does: "Follow what changes: one's own jobs and accounts, prices and nodes, as server-sent events whose data is a Notice. Last-Event-ID resumes",
		params: []param{
			{"after", "integer", "only what has a larger number; default: from now on"},
			{"owner", "string", "whose jobs; for the owner of the cluster, default all"},
		},
		status: http.StatusOK, answer: media("text/event-stream"),
	},
	{
		method: http.MethodGet, pattern: "/v1/tokens", roles: people, handle: listTokens,
		does:   "List tokens, without their secrets",
		params: []param{{"user", "string", "whose; default one's own; for the owner of the cluster also *: all"}},
		status: http.StatusOK, answer: v1.TokenList{},
	},
	{
		method: http.MethodPost, pattern: "/v1/tokens", roles: people, handle: makeToken,
		does: "Make a token. Its secret is shown this once; an idempotency key has no effect here",
		body: v1.TokenRequest{}, status: http.StatusCreated, answer: v1.NewToken{},
	},
	{
		method: http.MethodDelete, pattern: "/v1/tokens/{id}", roles: people, handle: revokeToken,
		does:   "Revoke a token",
		params: []param{{"children", "boolean", "1: also those that were made with it, and with those; of others only for the owner of the cluster"}},
		status: http.StatusNoContent,
	},
	{
		method: http.MethodGet, pattern: "/v1/whoami", roles: known, handle: whoami,
		does: "Say who the server takes the caller for", status: http.StatusOK, answer: v1.Whoami{},
	},
	{
		method: http.MethodPut, pattern: "/v1/nodes/{node}", roles: nodes, handle: hello,
		does: "An agent introduces its node", body: task.Hello{}, status: http.StatusOK, answer: task.Welcome{},
	},
	{
		method: http.MethodGet, pattern: "/v1/nodes/{node}/desired", roles: nodes, handle: desired, quiet: true, polls: true,
		does: "An agent of the first version asks what its node should be doing: all of it, every time", params: waitParams,
		status: http.StatusOK, answer: task.Desired{},
	},
	{
		method: http.MethodGet, pattern: "/v1/nodes/{node}/orders", roles: nodes, handle: orders, quiet: true, polls: true,
		does: "An agent asks what has changed in what its node should be doing. What tasks run is named, not sent",
		params: append([]param{
			{"since", "integer", "the mark of the answer that the agent holds; default 0: none"},
		}, waitParams...),
		status: http.StatusOK, answer: task.Changes{},
	},
	{
		method: http.MethodPost, pattern: "/v1/nodes/{node}/specs", roles: nodes, handle: specs, quiet: true, looks: true,
		does: "An agent asks what tasks of its node run. The answer has as many of them as go into one, at least one, and none that the node should not run",
		body: task.SpecRequest{}, status: http.StatusOK, answer: task.Specs{},
	},
	{
		method: http.MethodPost, pattern: "/v1/nodes/{node}/report", roles: nodes, handle: report, quiet: true,
		does: "An agent says how things stand",
		body: task.Report{}, limit: maxReport, status: http.StatusOK, answer: task.Reply{},
	},
	{
		method: http.MethodPost, pattern: "/v1/nodes/{node}/refusal", roles: nodes, handle: followsOther, quiet: true,
		does: "An agent says that it does not obey this market, because it follows one on a store that came after", body: task.Refusal{}, status: http.StatusNoContent,
	},
	{
		method: http.MethodPost, pattern: "/v1/nodes/{node}/tails/{id}", roles: nodes, handle: chunk, quiet: true,
		does: "An agent hands over a piece of output that was asked for", body: task.Chunk{}, status: http.StatusNoContent,
	},
	{
		method: http.MethodPost, pattern: "/v1/munge/challenges", roles: everyone, handle: challengeByMunge, quiet: true,
		does: "Ask for something to sign with munge, for who has no token: it is good once, and for a minute", status: http.StatusCreated, answer: v1.Challenge{},
	},
	{
		method: http.MethodPost, pattern: "/v1/munge/sessions", roles: everyone, handle: enterByMunge,
		does: "Be let in as the user that munge says one is, by a credential of \"libra login CHALLENGE\"", body: v1.MungeLogin{}, limit: 16 << 10, status: http.StatusCreated, answer: v1.MungeSession{},
	},
	{
		method: http.MethodGet, pattern: "/healthz", roles: everyone, handle: healthz, quiet: true,
		does: "Ask whether the market takes commands: it leads, and can write", status: http.StatusOK, answer: v1.Health{},
	},
	{
		method: http.MethodGet, pattern: "/readyz", roles: everyone, handle: readyz, quiet: true,
		does: "Ask whether this controller could serve: it takes commands, or waits to take the lead over", status: http.StatusOK, answer: v1.Standing{},
	},
	{
		method: http.MethodGet, pattern: "/livez", roles: everyone, handle: livez, quiet: true,
		does: "Ask whether this controller is alive, and how it stands", status: http.StatusOK, answer: v1.Standing{},
	},
	{
		method: http.MethodGet, pattern: metricsPath, roles: owners, handle: showMetrics, quiet: true,
		does: "Metrics in the format of Prometheus; may be open to all, as the server is set up", status: http.StatusOK, answer: media("text/plain"),
	},
	{
		method: http.MethodGet, pattern: "/openapi.json", roles: everyone, handle: describe,
		does: "This description", status: http.StatusOK, answer: map[string]any{},
	},
	{
		method: http.MethodGet, pattern: "/problems/{name}", roles: everyone, handle: explainProblem,
		does: "Say what a type of problem means", status: http.StatusOK, answer: media("text/plain"),
	},
}
