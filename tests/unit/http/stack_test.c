/* What is shown of the stacks of frameworks: the error, and the application's own frame. */
#include "http/stack.h"
#include "http/words.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *body, *line;
} rows[] = {
	{ "Express",
	  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
	  "charset=\"utf-8\">\n<title>Error</title>\n</head>\n<body>\n"
	  "<pre>TypeError: Cannot read properties of undefined (reading &#39;street&#39;)<br> &nbsp; &nbsp;at "
	  "/home/ana/hooks/src/app.js:11:21<br> &nbsp; &nbsp;at Layer.handle [as handle_request] "
	  "(/home/ana/hooks/node_modules/express/lib/router/layer.js:95:5)<br> &nbsp; &nbsp;at next "
	  "(/home/ana/hooks/node_modules/express/lib/router/route.js:149:13)</pre>\n</body>\n</html>\n",
	  "TypeError: Cannot read properties of undefined (reading 'street') (app.js:11:21)" },
	{ "the frame of the application is not the first",
	  "SyntaxError: Unexpected token } in JSON at position 12\n    at JSON.parse (<anonymous>)\n    at parse "
	  "(/app/node_modules/body-parser/lib/types/json.js:92:19)\n    at Object.<anonymous> "
	  "(/app/dist/hook.js:7:3)\n    at "
	  "node:internal/process/task_queues:95:5",
	  "SyntaxError: Unexpected token } in JSON at position 12 (hook.js:7:3)" },
	{ "only libraries",
	  "Error: request aborted\n    at IncomingMessage.onAborted (/app/node_modules/raw-body/index.js:245:10)\n    "
	  "at "
	  "node:events:518:28",
	  "Error: request aborted (index.js:245:10)" },
	{ "an error of its own name", "CustomerMissing: no customer\n    at find (file:///app/customers.mjs:3:9)",
	  "CustomerMissing: no customer (customers.mjs:3:9)" },
	{ "NestJS, in JSON",
	  "{\"statusCode\":500,\"message\":\"x\",\"stack\":\"TypeError: d.address is undefined\\n    at "
	  "HookService.save "
	  "(C:\\\\hooks\\\\src\\\\hook.service.ts:42:17)\\n    at node:internal\"}",
	  "TypeError: d.address is undefined (hook.service.ts:42:17)" },
	{ "Python",
	  "Traceback (most recent call last):\n  File \"/usr/lib/python3.11/wsgiref/handlers.py\", line 137, in run\n  "
	  "  "
	  "self.result = application(self.environ)\n  File \"/srv/hooks/app.py\", line 12, in post\n    save(body)\n  "
	  "File "
	  "\"/srv/hooks/store.py\", line 31, in save\n    path = body['path']\n           ~~~~^^^^^^^^\n  File "
	  "\"/srv/hooks/venv/lib/python3.11/site-packages/x/y.py\", line 9, in get\n    raise KeyError(key)\nKeyError: "
	  "'path'\n",
	  "KeyError: 'path' (store.py:31)" },
	{ "Python, one error during another",
	  "Traceback (most recent call last):\n  File \"/srv/a.py\", line 1, in f\n    g()\nKeyError: 'path'\n\nDuring "
	  "handling "
	  "of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "
	  "\"/srv/b.py\", "
	  "line 2, in h\n    raise hooks.Refused\nhooks.Refused\n",
	  "hooks.Refused (b.py:2)" },
	{ "Flask's log",
	  "[2026-11-28 10:00:00,123] ERROR in app: Exception on /hook [POST]\nTraceback (most recent call last):\n  "
	  "File "
	  "\"/venv/lib/python3.12/site-packages/flask/app.py\", line 1511, in wsgi_app\n    response = "
	  "self.full_dispatch_request()\n  File \"/srv/hook.py\", line 8, in hook\n    return {}[\"a\"]\nKeyError: "
	  "'a'\n"
	  "127.0.0.1 - - [28/Nov/2026 10:00:00] \"POST /hook HTTP/1.1\" 500 -\n",
	  "KeyError: 'a' (hook.py:8)" },
	{ "Werkzeug's debugger",
	  "<!doctype html>\n<html lang=en>\n<head><title>KeyError: &#39;path&#39; // Werkzeug Debugger</title></head>"
	  "<body><h1>KeyError</h1><div class=\"detail\"><p class=\"errormsg\">KeyError: &#39;path&#39;\n</p></div>"
	  "<h2 class=\"traceback\">Traceback <em>(most recent call last)</em></h2><ul><li><div "
	  "class=\"frame\"><h4>File <cite "
	  "class=\"filename\">\"/venv/lib/python3.12/site-packages/flask/app.py\"</cite>, line <em "
	  "class=\"line\">1536</em>, in <code class=\"function\">__call__</code></h4></div><li><div><h4>File <cite "
	  "class=\"filename\">\"/srv/app.py\"</cite>, line <em class=\"line\">9</em>, in <code "
	  "class=\"function\">hook</code></h4><pre>x[&#39;path&#39;]</pre></div></ul><blockquote>KeyError: "
	  "&#39;path&#39;\n</blockquote>",
	  "KeyError: 'path' (app.py:9)" },
	{ "PHP",
	  "PHP Fatal error:  Uncaught TypeError: save(): Argument #1 must be of type array, null given in "
	  "/var/www/html/hook.php:26\nStack trace:\n#0 /var/www/html/index.php(12): save(NULL)\n#1 {main}\n  thrown in "
	  "/var/www/html/hook.php on line 26",
	  "PHP Fatal error: Uncaught TypeError: save(): Argument #1 must be of type array, null given (hook.php:26)" },
	{ "PHP, as a page",
	  "<br />\n<b>Fatal error</b>:  Uncaught Exception: no details in /var/www/hook.php:3\nStack trace:\n#0 "
	  "{main}\n  thrown "
	  "in <b>/var/www/hook.php</b> on line <b>3</b><br />",
	  "Fatal error: Uncaught Exception: no details (hook.php:3)" },
	{ "Laravel, in JSON",
	  "{\"message\": \"Undefined array key\",\"exception\": \"ErrorException\",\"trace\": \"ErrorException: "
	  "Undefined array "
	  "key\\n#0 \\/app\\/vendor\\/laravel\\/framework\\/src\\/Handle.php(255): h()\\n#1 "
	  "\\/app\\/app\\/Http\\/HookController.php(19): x()\"}",
	  "ErrorException: Undefined array key (HookController.php:19)" },
	{ "Ruby",
	  "/srv/app.rb:11:in `post': undefined method `upcase' for nil (NoMethodError)\n\tfrom "
	  "/usr/lib/ruby/gems/3.1.0/gems/sinatra-3.0/lib/sinatra/base.rb:1710:in `call'",
	  "undefined method `upcase' for nil (NoMethodError) (app.rb:11)" },
	{ "Sinatra",
	  "NoMethodError: undefined method `[]' for nil\n\t/var/lib/gems/3.1.0/gems/rack-2.2/lib/rack/head.rb:12:in "
	  "`call'\n"
	  "\tapp.rb:7:in 'block in <main>'",
	  "NoMethodError: undefined method `[]' for nil (app.rb:7)" },
	{ "Rails",
	  "NoMethodError (undefined method `fetch' for nil):\n  \napp/controllers/hooks_controller.rb:4:in `create'\n",
	  "NoMethodError (undefined method `fetch' for nil): (hooks_controller.rb:4)" },
	{ "Spring",
	  "java.lang.NullPointerException: Cannot invoke \"String.length()\"\n\tat "
	  "java.base/java.util.Objects.requireNonNull("
	  "Objects.java:233)\n\tat com.acme.hooks.HookController.post(HookController.java:42) ~[classes!/:1.0]\n\tat "
	  "org.springframework.web.method.support.Invocable.invoke(Invocable.java:207)",
	  "java.lang.NullPointerException: Cannot invoke \"String.length()\" (HookController.java:42)" },
	{ "Java, with a cause, in JSON",
	  "{\"status\":500,\"trace\":\"org.x.DataException: could not store\\n\\tat "
	  "com.acme.Store.put(Store.java:8)\\n\\tat "
	  "org.springframework.aop.X.y(X.java:1)\\nCaused by: java.sql.SQLException: duplicate key\\n\\tat "
	  "com.acme.Sql.run(Sql.java:77)\\n\\t... 23 more\\n\",\"path\":\"/hook\"}",
	  "java.sql.SQLException: duplicate key (Sql.java:77)" },
	{ "a cause in a library",
	  "a.StoreException: x\n\tat com.acme.Store.put(Store.java:8)\nCaused by: java.sql.SQLException\n\tat "
	  "org.apache.derby.Y.z(Y.java:3)",
	  "java.sql.SQLException (Store.java:8)" },
	{ ".NET",
	  "System.NullReferenceException: Object reference not set to an instance of an object.\n   at "
	  "System.Text.Json.X() in /_/src/X.cs:line 3\n   at Hooks.HookController.Post(JsonDocument d) in "
	  "/src/HookController.cs:line 42\n   at Microsoft.AspNetCore.Mvc.Y()",
	  "System.NullReferenceException: Object reference not set to an instance of an object. "
	  "(HookController.cs:42)" },
	{ "Go",
	  "2026/11/28 10:00:00 http: panic serving 127.0.0.1:53214: runtime error: index out of range [3] with length "
	  "2\n"
	  "goroutine 7 [running]:\nnet/http.(*conn).serve.func1()\n\t/usr/local/go/src/net/http/server.go:1868 +0xb9\n"
	  "panic({0x6a2b40?, 0xc00001c1c8?})\n\t/usr/local/go/src/runtime/panic.go:920 +0x270\nmain.hook(...)\n"
	  "\t/home/ana/hooks/main.go:14\n",
	  "2026/11/28 10:00:00 http: panic serving 127.0.0.1:53214: runtime error: index out of range [3] with length "
	  "2 "
	  "(main.go:14)" },
	{ "Rust",
	  "thread 'main' panicked at src/main.rs:10:5:\ncalled `Option::unwrap()` on a `None` value\nstack "
	  "backtrace:\n   0: "
	  "rust_begin_unwind\n             at /rustc/9fc6b4/library/std/src/panicking.rs:647:5",
	  "called `Option::unwrap()` on a `None` value (main.rs:10:5)" },
	{ "no stack", "TypeError: x", "TypeError: x" },
	{ "a title that says nothing", "<title>Error</title><h1>Internal Server Error</h1>", "Error" },
	{ "a place without an error", "see app.js:3 for more", "see app.js:3 for more" },
};

TEST(the_error_and_the_own_frame_are_shown)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct buffer out = BUFFER_INIT;
		char *body = strdup(rows[i].body);
		assert_non_null(body);
		words_append_line(&out, body, strlen(body), WORDS_LINE_MAX);
		if (strcmp(buffer_text(&out), rows[i].line) != 0)
			fail_msg("%s:\n%s\nexpected\n%s", rows[i].name, buffer_text(&out), rows[i].line);
		free(body);
		buffer_release(&out);
	}
}

TEST(a_long_error_keeps_its_frame_and_whole_paths)
{
	static const char body[] =
	        "Error: ENOENT: no such file or directory, open '/srv/hooks/data/2026/customers.json'\n"
	        "    at save (/srv/hooks/app.js:11:21)";
	for (size_t most = 40; most < 120; most++) {
		struct buffer out = BUFFER_INIT;
		words_append_line(&out, body, strlen(body), most);
		const char *text = buffer_text(&out);
		assert_true(out.length < most);
		assert_non_null(strstr(text, " (app.js:11:21)"));
		assert_true(!strchr(text, '/') || strstr(text, "customers.json' ("));
		buffer_release(&out);
	}
}

/* Were each place looked at from the beginning of the line, this would take minutes. */
TEST(a_long_line_full_of_places)
{
	struct buffer line = BUFFER_INIT;
	struct stack stack;
	buffer_append_text(&line, "TypeError: x\n    at ");
	while (line.length < (1 << 20))
		buffer_append_text(&line, ".js:1");
	buffer_append_text(&line, " (app.js:11:21)");
	assert_true(stack_find((struct text){ line.data, line.length }, false, &stack));
	assert_string_equal(stack.place, "app.js:11:21");
	buffer_release(&line);
}

TEST(lines_of_a_stack)
{
	struct buffer out = BUFFER_INIT;
	words_append_lines(&out, rows[0].body, strlen(rows[0].body), false);
	assert_string_equal(
	        buffer_text(&out),
	        "TypeError: Cannot read properties of undefined (reading 'street')\nat app.js:11:21\n...\n");
	buffer_release(&out);
}
